/**
 * Pass: brings arguments into the form that BMv2's primitives accept.
 * Hashes and checksums read fields and constants, so other inputs of a hash are computed before it;
 * results are written to whole fields.
 */
import { variable } from "./build.js";
import type { Expr, IrProgram, Stmt } from "./ir.js";
import { newLocal } from "./ir.js";
import { isFixedPlace } from "./places.js";
import { mapBlocks, mapProgram } from "./walk.js";

export function settleArguments(program: IrProgram): void {
  mapProgram(program, (body, place) => (place === "checksum" ? body : settleBody(program, body)));
}

function settleBody(program: IrProgram, body: Stmt[]): Stmt[] {
  return body.flatMap((stmt): Stmt[] => {
    const inner = mapBlocks(stmt, (list) => settleBody(program, list));
    if (inner.kind !== "extern" || inner.about.fields === undefined) return [inner];
    const { fields } = inner.about;
    const before: Stmt[] = [];
    const settle = (expr: Expr): Expr => {
      const isField = isFixedPlace(expr) && !(expr.kind === "variable" && expr.variable.role === "parameter");
      if (isField || (expr.kind === "number" && !expr.type.signed)) return expr;
      const copy = variable(newLocal(program, "tmp", expr.type, expr.span), expr.span);
      before.push({ kind: "assign", left: copy, right: expr, span: expr.span });
      return copy;
    };
    const args = inner.args.map((arg, index) => {
      if (index !== fields) return arg;
      return arg.kind === "aggregate" ? { ...arg, elements: arg.elements.map(settle) } : settle(arg);
    });
    return [...before, { ...inner, args }];
  });
}
