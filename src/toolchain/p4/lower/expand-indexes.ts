/**
 * Pass: an index that is computed at run time. Reading becomes a choice between the elements, writing a
 * chain of conditions.
 */
import { defined } from "../../../base/index.js";
import { bool, elementAt, equal, number, variable } from "./build.js";
import { fold } from "./fold.js";
import type { BitsType, Expr, ExprOf, IrProgram, Stmt } from "./ir.js";
import { newLocal } from "./ir.js";
import { bits, isAggregate } from "./ir-types.js";
import { effectsOf, mapBlocks, mapKeys, mapOperands, mapProgram, mapStmtExprs } from "./walk.js";

export function expandIndexes(program: IrProgram): void {
  const expand = (body: Stmt[]): Stmt[] =>
    body.flatMap((stmt) => writeChoices(program, readChoices(mapBlocks(stmt, expand))));
  mapProgram(program, expand);
  mapKeys(program, read);
}

type Computed = ExprOf<"element">;

/** The outermost element with a computed index on the way from the place to its variable. */
function findComputed(place: Expr): Computed | undefined {
  switch (place.kind) {
    case "element":
      return findComputed(place.base) ?? (place.index.kind === "number" ? undefined : place);
    case "field":
    case "stackProperty":
      return findComputed(place.base);
    case "slice":
      return findComputed(place.operand);
    case "valid":
      return findComputed(place.header);
    default:
      return undefined;
  }
}

/** The place with `from` replaced by `to`. */
function replace(place: Expr, from: Expr, to: Expr): Expr {
  if (place === from) return to;
  return mapOperands(place, (operand) => replace(operand, from, to));
}

function choices(found: Computed): { index: number; element: Expr }[] {
  const type = found.base.type;
  if (type.kind !== "stack") throw new Error("an index into no stack");
  return Array.from({ length: type.size }, (_, index) => ({
    index,
    element: elementAt(found.base, index, found.span),
  }));
}

/** Whether the index is this number; false at once where its type is too small for it. */
function indexIs(found: Computed, index: number): Expr {
  const type = found.index.type;
  const indexType: BitsType = type.kind === "bits" ? type : bits(32);
  const limit = indexType.signed ? indexType.width - 1 : indexType.width;
  if (limit < 31 && index >= 2 ** limit) return bool(false, found.span);
  return fold(equal(found.index, number(BigInt(index), indexType), found.span));
}

/** Every place read with a computed index as a choice. Outside the stack the last element is read. */
function read(expr: Expr): Expr {
  const found = isAggregate(expr.type) ? undefined : findComputed(expr);
  if (found === undefined) return mapOperands(expr, read);
  const options = choices({ ...found, index: read(found.index) });
  let chosen = read(replace(expr, found, defined(options.at(-1)).element));
  for (const { index, element } of options.slice(0, -1).reverse())
    chosen = fold({
      kind: "conditional",
      condition: indexIs(found, index),
      whenTrue: read(replace(expr, found, element)),
      whenFalse: chosen,
      type: expr.type,
      span: expr.span,
    });
  return chosen;
}

function readChoices(stmt: Stmt): Stmt {
  return mapStmtExprs(stmt, (expr, write) => (write ? expr : read(expr)));
}

/** Splits a statement whose target, or whose header operand, has a computed index. */
function writeChoices(program: IrProgram, stmt: Stmt): Stmt[] {
  const found = computedOperand(stmt);
  if (found === undefined) return [stmt];
  const before: Stmt[] = [];
  let index = found.index;
  if (index.kind !== "variable" || index.variable.role !== "parameter") {
    // The index has its value before the statement, and is tested several times.
    const home = variable(newLocal(program, "index", index.type, index.span), index.span);
    before.push({ kind: "assign", left: home, right: index, span: stmt.span });
    index = home;
  }
  const fixed: Computed = { ...found, index };
  let chain: Stmt[] = [];
  for (const { index: at, element } of choices(fixed).reverse()) {
    const condition = indexIs(fixed, at);
    const body = mapStmtExprs(stmt, (expr) => replace(expr, found, element));
    chain = [
      { kind: "if", condition, whenTrue: writeChoices(program, body), whenFalse: chain, span: stmt.span },
    ];
  }
  return [...before, ...chain];
}

function computedOperand(stmt: Stmt): Computed | undefined {
  const { writes, reads } = effectsOf(stmt);
  const wholes = reads.filter((expr) => isAggregate(expr.type));
  return [...wholes, ...writes].map(findComputed).find((found) => found !== undefined);
}
