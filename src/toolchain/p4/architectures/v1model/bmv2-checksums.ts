/** The two checksum controls: calls of verify_checksum and update_checksum, perhaps under conditions. */
import { defined, fail } from "../../../../base/index.js";
import type { bmv2 } from "../../../program/index.js";
import { CODES } from "../../codes.js";
import { algorithm, calculationInput } from "../../emit/bmv2-calculations.js";
import type { Emission } from "../../emit/emission.js";
import { sourceInfo } from "../../emit/source-info.js";
import { and, not } from "../../lower/build.js";
import { fold } from "../../lower/fold.js";
import type { Expr, IrControl, Stmt, StmtOf } from "../../lower/ir.js";
import { Names } from "../../lower/names.js";

/** The checksums to update come first, as in p4c's output. */
export function emitChecksums(emission: Emission, verify: IrControl, compute: IrControl): bmv2.Checksum[] {
  const list: bmv2.Checksum[] = [];
  const names = new Names();
  const convert = (control: IrControl, isVerify: boolean): void => {
    const visit = (body: readonly Stmt[], condition: Expr | undefined): void => {
      for (const stmt of body) {
        if (stmt.kind === "if") {
          visit(stmt.whenTrue, both(condition, stmt.condition));
          visit(stmt.whenFalse, both(condition, fold(not(stmt.condition))));
        } else if (stmt.kind === "extern" && isChecksum(stmt, isVerify)) {
          const identity = { name: names.unique("cksum"), id: list.length };
          list.push(checksum(emission, stmt, condition, identity, isVerify));
        } else
          fail(
            CODES.checksumStatement,
            stmt.span,
            `BMv2 can only ${isVerify ? "verify" : "update"} checksums here`,
            "do everything else in ingress or egress",
          );
      }
    };
    visit(control.body, undefined);
  };
  convert(compute, false);
  convert(verify, true);
  return list;
}

function both(first: Expr | undefined, second: Expr): Expr {
  return first === undefined ? second : fold(and(first, second));
}

function isChecksum(stmt: StmtOf<"extern">, isVerify: boolean): boolean {
  const base = isVerify ? "verify_checksum" : "update_checksum";
  return stmt.name === base || stmt.name === `${base}_with_payload`;
}

function checksum(
  emission: Emission,
  stmt: StmtOf<"extern">,
  outer: Expr | undefined,
  identity: Pick<bmv2.Checksum, "name" | "id">,
  isVerify: boolean,
): bmv2.Checksum {
  const [condition, data, target, algo] = stmt.args;
  const input = calculationInput(emission, defined(data));
  if (stmt.name.endsWith("_with_payload")) input.push({ type: "payload", value: null });
  const calculation = emission.resources.calculation(algorithm(defined(algo)), input, stmt.span);
  return {
    ...identity,
    ...sourceInfo(stmt.span),
    target: emission.expressions.layout.field(defined(target)),
    type: "generic",
    calculation,
    verify: isVerify,
    update: !isVerify,
    if_cond: emission.expressions.truth(fold(both(outer, defined(condition)))),
  };
}
