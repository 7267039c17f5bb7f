/**
 * Pass: what a call returns goes to where the statement after it puts it, without a variable between; what nothing reads goes
 * nowhere.
 */
import type { Expr, IrProgram, Stmt, Variable } from "./ir.js";
import { sameType } from "./ir-types.js";
import { isFixedPlace } from "./places.js";
import { effectsOf, forEachStmt, mapBlocks, mapKeys, mapProgram, operandsOf } from "./walk.js";

export function forwardResults(program: IrProgram): void {
  const uses = usesOf(program);
  mapProgram(program, (body) => forward(body, uses));
}

/** How often each variable occurs. */
function usesOf(program: IrProgram): Map<Variable, number> {
  const uses = new Map<Variable, number>();
  const count = (expr: Expr): Expr => {
    if (expr.kind === "variable") uses.set(expr.variable, (uses.get(expr.variable) ?? 0) + 1);
    for (const operand of operandsOf(expr)) count(operand);
    return expr;
  };
  mapProgram(program, (body) => {
    forEachStmt(body, (stmt) => {
      const { writes, reads } = effectsOf(stmt);
      for (const expr of [...writes, ...reads]) count(expr);
    });
    return body;
  });
  mapKeys(program, count);
  return uses;
}

function forward(body: readonly Stmt[], uses: ReadonlyMap<Variable, number>): Stmt[] {
  const done: Stmt[] = [];
  for (const stmt of body) {
    const inner = mapBlocks(stmt, (list) => forward(list, uses));
    const last = done.at(-1);
    if (last?.kind === "extern" && inner.kind === "assign" && takes(inner, last.result, uses))
      done[done.length - 1] = { ...last, result: inner.left };
    else if (inner.kind === "extern" && inner.result !== undefined && isUnread(inner.result, uses))
      done.push({ ...inner, result: undefined });
    else done.push(inner);
  }
  return done;
}

/** Whether the assignment is all that reads the result, and puts it where a call can. */
function takes(
  { left, right }: Extract<Stmt, { kind: "assign" }>,
  result: Expr | undefined,
  uses: ReadonlyMap<Variable, number>,
): boolean {
  if (result?.kind !== "variable" || right.kind !== "variable" || right.variable !== result.variable)
    return false;
  return uses.get(result.variable) === 2 && isFixedPlace(left) && sameType(left.type, result.type);
}

function isUnread(result: Expr, uses: ReadonlyMap<Variable, number>): boolean {
  return result.kind === "variable" && result.variable.role === "local" && uses.get(result.variable) === 1;
}
