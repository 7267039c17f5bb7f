/** Places (expressions that name storage): which places can be the same, and what a statement can change. */
import type { Expr, Stmt, Variable } from "./ir.js";
import { effectsOf, forEachStmt, operandsOf } from "./walk.js";

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

/** The variable to which a place belongs; undefined for what is no place. */
export function rootOf(place: Expr): Variable | undefined {
  switch (place.kind) {
    case "variable":
      return place.variable;
    case "field":
    case "element":
    case "stackProperty":
      return rootOf(place.base);
    case "slice":
      return rootOf(place.operand);
    default:
      return undefined;
  }
}

/** The computed indexes on the way to a place. */
export function indexesOf(place: Expr): Expr[] {
  switch (place.kind) {
    case "field":
    case "stackProperty":
      return indexesOf(place.base);
    case "element":
      return [...indexesOf(place.base), place.index];
    case "slice":
      return indexesOf(place.operand);
    default:
      return [];
  }
}

/** Whether evaluating `expr` reads storage that `place` covers. */
export function readsFrom(expr: Expr, place: Expr): boolean {
  if (isPlace(expr) && mayOverlap(expr, place)) return true;
  const read = isPlace(expr) ? indexesOf(expr) : operandsOf(expr);
  return read.some((part) => readsFrom(part, place));
}

/** Whether the expression reads any storage at all. */
function readsStorage(expr: Expr): boolean {
  if (expr.kind === "variable") return expr.variable.role !== "parameter";
  return expr.kind === "lookahead" || operandsOf(expr).some(readsStorage);
}

/** Whether running `body` can change what `expr` evaluates to. A table can change everything. */
export function mayChange(body: readonly Stmt[], expr: Expr): boolean {
  let changed = false;
  forEachStmt(body, (stmt) => {
    changed ||= stmt.kind === "apply" || effectsOf(stmt).writes.some((place) => readsFrom(expr, place));
  });
  return changed && readsStorage(expr);
}
