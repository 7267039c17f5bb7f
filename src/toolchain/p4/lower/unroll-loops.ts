/**
 * Pass: loops of apply blocks whose number of iterations is known are written out, so that the pipeline has
 * no cycle. A loop is counted when the variables that control it have known values: set to constants before
 * the loop and changed only by its update statements. Others stay: an action can jump back, and a pipeline
 * or parser can lead back to an earlier node. A loop that applies tables stays too: a table can be in the program only once.
 */
import { variable } from "./build.js";
import { fold } from "./fold.js";
import type { Expr, IrProgram, Label, Stmt, StmtOf, Variable } from "./ir.js";
import { rootOf } from "./places.js";
import { effectsOf, forEachStmt, mapBlocks, mapExpr, mapProgram, mapStmtExprs } from "./walk.js";

/** Longer loops are kept: unrolled, they would dominate the size of the program. */
const MOST_ITERATIONS = 256;

export function unrollLoops(program: IrProgram): void {
  mapProgram(program, (body, place) => (place === "action" ? body : unrollBody(body, new Map())));
}

type Known = Map<Variable, Expr>;

/** `known`: variables that hold a constant when the list starts. */
function unrollBody(body: Stmt[], known: Known): Stmt[] {
  const done: Stmt[] = [];
  for (const stmt of body) {
    const unrolled = stmt.kind === "loop" ? unroll(stmt, known) : undefined;
    if (unrolled !== undefined) done.push(...unrolled);
    else if (stmt.kind === "loop") done.push(mapBlocks(stmt, (list) => unrollBody(list, new Map())));
    else if (stmt.kind === "action") done.push(stmt);
    else {
      const inner = new Map(known);
      // A block runs once; the bodies of conditionals start with the values known before them.
      done.push(mapBlocks(stmt, (list) => unrollBody(list, new Map(inner))));
    }
    learn(stmt, known);
  }
  return done;
}

/** Updates the known values after a statement. */
function learn(stmt: Stmt, known: Known): void {
  if (stmt.kind === "assign" && stmt.left.kind === "variable") {
    const value = fold(substitute(stmt.right, known));
    if (value.kind === "number" || value.kind === "bool") known.set(stmt.left.variable, value);
    else known.delete(stmt.left.variable);
    return;
  }
  for (const written of writtenIn([stmt])) known.delete(written);
}

/** Variables that some statement of the list writes, whole or in part. */
function writtenIn(body: readonly Stmt[]): Set<Variable> {
  const written = new Set<Variable>();
  forEachStmt(body, (stmt) => {
    if (stmt.kind === "apply")
      for (const ref of stmt.table.actions) for (const one of writtenIn(ref.action.body)) written.add(one);
    for (const place of effectsOf(stmt).writes) {
      const root = rootOf(place);
      if (root !== undefined) written.add(root);
    }
  });
  return written;
}

function substitute(expr: Expr, known: ReadonlyMap<Variable, Expr>): Expr {
  return mapExpr(expr, (part) => (part.kind === "variable" ? (known.get(part.variable) ?? part) : part));
}

/** The iterations one after the other; undefined when their number is not known, or large. */
function unroll(loop: StmtOf<"loop">, before: Known): Stmt[] | undefined {
  if (appliesTables(loop.body)) return undefined;
  const inBody = writtenIn(loop.body);
  const values: Known = new Map();
  for (const [name, value] of before) if (!inBody.has(name)) values.set(name, value);
  const counted = writtenIn(loop.update);
  const isLeft = leavesEarly(loop.body);
  const done: Stmt[] = [];
  for (let count = 0; ; count++) {
    const condition = fold(substitute(loop.condition, values));
    if (condition.kind !== "bool" || count > MOST_ITERATIONS) return undefined;
    if (!condition.value) break;
    // Where the loop is left early, its variables have the values of this iteration.
    if (isLeft && count > 0) done.push(...settle(loop, values, counted));
    const fixed: Known = new Map([...values].filter(([name]) => counted.has(name)));
    done.push(...unrollBody(copyBody(loop.body, fixed), new Map(values)));
    for (const stmt of loop.update) learn(stmt, values);
  }
  // After the loop its variables hold their last values.
  for (const [name, value] of values)
    if (counted.has(name))
      done.push({ kind: "assign", left: variable(name, loop.span), right: value, span: loop.span });
  return done;
}

/** The counted variables that live on after the loop get their present values. */
function settle(loop: StmtOf<"loop">, values: Known, counted: ReadonlySet<Variable>): Stmt[] {
  return [...values].flatMap(([name, value]): Stmt[] =>
    counted.has(name) && !loop.own.includes(name)
      ? [{ kind: "assign", left: variable(name, loop.span), right: value, span: loop.span }]
      : [],
  );
}

/** Whether a statement of the body goes to a place outside of it. */
function leavesEarly(body: readonly Stmt[]): boolean {
  const inside = new Set<Label | undefined>();
  let found = false;
  forEachStmt(body, (stmt) => {
    if (stmt.kind === "block") inside.add(stmt.label);
    if (stmt.kind === "leave" && !inside.has(stmt.label)) found = true;
  });
  return found;
}

function appliesTables(body: readonly Stmt[]): boolean {
  let found = false;
  forEachStmt(body, (stmt) => {
    if (stmt.kind === "apply") found = true;
  });
  return found;
}

/** A copy with labels of its own and the variables' values filled in where they are read. */
export function copyBody(body: readonly Stmt[], values: ReadonlyMap<Variable, Expr>): Stmt[] {
  const labels = new Map<Label, Label>();
  const copy = (list: readonly Stmt[]): Stmt[] => list.map((stmt) => copyStmt(stmt));
  const copyStmt = (stmt: Stmt): Stmt => {
    const replaced = mapStmtExprs(stmt, (expr, write) =>
      write ? copyIndexes(expr, values) : fold(substitute(expr, values)),
    );
    if (replaced.kind === "block" && replaced.label !== undefined) {
      const label: Label = { ...replaced.label };
      labels.set(replaced.label, label);
      return { ...replaced, label, body: copy(replaced.body) };
    }
    if (replaced.kind === "leave")
      return { ...replaced, label: labels.get(replaced.label) ?? replaced.label };
    return mapBlocks(replaced, copy);
  };
  return copy(body);
}

/** Of a place that is written, only the indexes are read. */
function copyIndexes(place: Expr, values: ReadonlyMap<Variable, Expr>): Expr {
  switch (place.kind) {
    case "field":
    case "stackProperty":
      return { ...place, base: copyIndexes(place.base, values) };
    case "element":
      return {
        ...place,
        base: copyIndexes(place.base, values),
        index: fold(substitute(place.index, values)),
      };
    case "slice":
      return { ...place, operand: copyIndexes(place.operand, values) };
    default:
      return place;
  }
}
