/** Places (expressions that name storage): which places can be the same, and what a statement can change. */
import type { Expr, Stmt, Variable } from "./ir.js";
import { mapBlocks, mapOperands, mapStmtExprs } from "./walk.js";

/** Whether the expression names storage. */
export function isPlace(expr: Expr): boolean {
  switch (expr.kind) {
    case "variable":
      return true;
    case "field":
    case "element":
      return isPlace(expr.base);
    case "stackProperty":
      return expr.property !== "lastIndex" && isPlace(expr.base);
    default:
      return false;
  }
}

/** A place that is the same storage whenever it is evaluated: no computed index, no `next`, no `last`. */
export function isFixedPlace(expr: Expr): boolean {
  switch (expr.kind) {
    case "variable":
      return true;
    case "field":
      return isFixedPlace(expr.base);
    case "element":
      return expr.index.kind === "number" && isFixedPlace(expr.base);
    default:
      return false;
  }
}

/** The steps from the variable to the place; a step is undefined where it is only known at run time. */
interface Path {
  root: Variable;
  steps: (string | undefined)[];
}

function pathOf(expr: Expr): Path | undefined {
  switch (expr.kind) {
    case "variable":
      return { root: expr.variable, steps: [] };
    case "field": {
      const base = pathOf(expr.base);
      // Members of a header union share their validity.
      const step = expr.base.type.kind === "union" ? undefined : expr.name;
      return base && { root: base.root, steps: [...base.steps, step] };
    }
    case "element": {
      const base = pathOf(expr.base);
      const step = expr.index.kind === "number" ? String(expr.index.value) : undefined;
      return base && { root: base.root, steps: [...base.steps, step] };
    }
    case "stackProperty":
    case "slice": {
      const base = pathOf(expr.kind === "slice" ? expr.operand : expr.base);
      return base && { root: base.root, steps: [...base.steps, undefined] };
    }
    default:
      return undefined;
  }
}

/** Whether two places can share storage. */
export function mayOverlap(a: Expr, b: Expr): boolean {
  const left = pathOf(a);
  const right = pathOf(b);
  if (left === undefined || right === undefined) return false;
  if (left.root !== right.root) return false;
  const shared = Math.min(left.steps.length, right.steps.length);
  for (let i = 0; i < shared; i++) {
    const one = left.steps[i];
    const other = right.steps[i];
    if (one !== undefined && other !== undefined && one !== other) return false;
  }
  return true;
}

/** Whether two places are certainly the same storage. */
export function samePlace(a: Expr, b: Expr): boolean {
  if (a.kind === "variable" && b.kind === "variable") return a.variable === b.variable;
  if (a.kind === "field" && b.kind === "field") return a.name === b.name && samePlace(a.base, b.base);
  if (a.kind === "element" && b.kind === "element")
    return (
      a.index.kind === "number" &&
      b.index.kind === "number" &&
      a.index.value === b.index.value &&
      samePlace(a.base, b.base)
    );
  return false;
}

/** Whether evaluating `expr` reads storage that `place` covers. */
export function readsFrom(expr: Expr, place: Expr): boolean {
  if (isPlace(expr)) {
    if (mayOverlap(expr, place)) return true;
    let inner = false;
    mapOperands(expr, (operand) => {
      // The index is read; the base is not.
      if (!isPlace(operand)) inner ||= readsFrom(operand, place);
      else if (expr.kind === "element" && operand === expr.index) inner ||= readsFrom(operand, place);
      return operand;
    });
    return inner;
  }
  let found = false;
  mapOperands(expr, (operand) => {
    found ||= readsFrom(operand, place);
    return operand;
  });
  return found;
}

/** Whether the expression reads any storage at all. */
function readsStorage(expr: Expr): boolean {
  if (expr.kind === "variable") return expr.variable.role !== "parameter";
  if (expr.kind === "lookahead") return true;
  let found = false;
  mapOperands(expr, (operand) => {
    found ||= readsStorage(operand);
    return operand;
  });
  return found;
}

/** Every place that running the statements may write; "all" when that is not known. */
function placesWritten(body: readonly Stmt[]): Expr[] | "all" {
  const places: Expr[] = [];
  let unknown = false;
  const visit = (stmts: readonly Stmt[]): void => {
    for (const stmt of stmts) {
      if (stmt.kind === "apply") unknown = true;
      mapStmtExprs(stmt, (expr, write) => {
        if (write) places.push(expr);
        return expr;
      });
      if (stmt.kind !== "apply")
        mapBlocks(stmt, (inner) => {
          visit(inner);
          return inner;
        });
    }
  };
  visit(body);
  return unknown ? "all" : places;
}

/** Whether running `body` can change what `expr` evaluates to. */
export function mayChange(body: readonly Stmt[], expr: Expr): boolean {
  if (body.length === 0 || !readsStorage(expr)) return false;
  const written = placesWritten(body);
  return written === "all" || written.some((place) => readsFrom(expr, place));
}
