/**
 * Pass: in a parser state, a value is not written when a later statement of the state overwrites it before it is
 * read. When an extract or verify between the two fails, the field then keeps its older value: P4-16
 * leaves that open (section 13.5), and p4c does the same.
 */
import type { Expr, IrProgram, Stmt } from "./ir.js";
import { isFixedPlace, readsFrom, samePlace } from "./places.js";
import { effectsOf, operandsOf, statesOf } from "./walk.js";

export function dropOverwritten(program: IrProgram): void {
  for (const state of statesOf(program))
    state.body = state.body.filter((stmt, index) => !isOverwritten(stmt, state.body.slice(index + 1)));
}

function isOverwritten(stmt: Stmt, rest: readonly Stmt[]): boolean {
  if (stmt.kind !== "assign" || !isFixedPlace(stmt.left) || hasLookahead(stmt.right)) return false;
  const place = stmt.left;
  for (const next of rest) {
    if (effectsOf(next).reads.some((expr) => readsFrom(expr, place))) return false;
    if (next.kind === "assign") {
      if (samePlace(next.left, place)) return true;
    } else if (next.kind !== "extract" && next.kind !== "verify" && next.kind !== "advance") return false;
  }
  return false;
}

/** A lookahead can fail, so it is kept. */
function hasLookahead(expr: Expr): boolean {
  return expr.kind === "lookahead" || operandsOf(expr).some(hasLookahead);
}
