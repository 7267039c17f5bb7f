/**
 * Pass: slices, concatenation and casts become arithmetic that BMv2 has. After this pass expressions hold
 * only shifts, masks and casts, and assignments have whole fields on their left.
 */
import { maskOf } from "../../../base/index.js";
import { binary, cast, number } from "./build.js";
import { fold } from "./fold.js";
import type { BitsType, Expr, ExprOf, IrProgram, Stmt } from "./ir.js";
import { bits } from "./ir-types.js";
import { mapBlocks, mapExpr, mapKeys, mapProgram, mapStmtExprs } from "./walk.js";

export function lowerSlices(program: IrProgram): void {
  const lower = (body: Stmt[]): Stmt[] =>
    body.map((stmt) =>
      mapStmtExprs(lowerTarget(mapBlocks(stmt, lower)), (expr, write) => (write ? expr : lowerExpr(expr))),
    );
  mapProgram(program, lower);
  mapKeys(program, lowerExpr);
}

function lowerExpr(expr: Expr): Expr {
  return mapExpr(expr, (part) => {
    if (part.kind === "slice") return readSlice(part);
    if (part.kind === "binary" && part.op === "++") return concatenate(part);
    return part;
  });
}

function bitsOf(expr: Expr): BitsType {
  if (expr.type.kind !== "bits") throw new Error("a slice of something that has no bits");
  return expr.type;
}

/** The operand as unsigned bits of its width. */
function unsigned(expr: Expr): Expr {
  const type = bitsOf(expr);
  return type.signed ? cast(expr, bits(type.width), expr.span) : expr;
}

function readSlice(expr: ExprOf<"slice">): Expr {
  const operand = unsigned(expr.operand);
  const type = bitsOf(operand);
  const shift = number(BigInt(expr.low), bits(32), expr.span);
  const moved = expr.low === 0 ? operand : binary(">>", operand, shift, type, expr.span);
  return fold(cast(moved, expr.type, expr.span));
}

function concatenate(expr: ExprOf<"binary">): Expr {
  const type = bits(bitsOf(expr.left).width + bitsOf(expr.right).width);
  const low = cast(unsigned(expr.right), type, expr.span);
  const shift = number(BigInt(bitsOf(expr.right).width), bits(32), expr.span);
  const high = binary("<<", cast(unsigned(expr.left), type, expr.span), shift, type, expr.span);
  const joined = binary("|", high, low, type, expr.span);
  return fold(cast(joined, expr.type, expr.span));
}

/** `x[h:l] = e` as `x = x & ~mask | e << l`. */
function lowerTarget(stmt: Stmt): Stmt {
  if (stmt.kind !== "assign" || stmt.left.kind !== "slice") return stmt;
  const { operand, high, low } = stmt.left;
  const type = bitsOf(operand);
  const plain = bits(type.width);
  const mask = maskOf(high - low + 1) << BigInt(low);
  const kept = binary("&", unsigned(operand), number(~mask, plain), plain, stmt.span);
  const shift = number(BigInt(low), bits(32), stmt.span);
  const moved = binary("<<", cast(unsigned(stmt.right), plain, stmt.span), shift, plain, stmt.span);
  const placed = binary("&", moved, number(mask, plain), plain, stmt.span);
  const value = fold(cast(binary("|", kept, placed, plain, stmt.span), type, stmt.span));
  return lowerTarget({ ...stmt, left: operand, right: value });
}
