/**
 * Pass: folds constants, removes statements that cannot run, and removes blocks that nothing leaves early. Each
 * meaning then has one form, so that later passes handle few cases.
 */
import { defined } from "../../../base/index.js";
import { not } from "./build.js";
import { fold, isZeroWidth } from "./fold.js";
import type { EntryKey, IrProgram, IrState, Label, Stmt, StmtOf } from "./ir.js";
import { samePlace } from "./places.js";
import { forEachStmt, mapBlocks, mapKeys, mapProgram, mapStmtExprs, statesOf } from "./walk.js";

export function simplify(program: IrProgram): void {
  mapProgram(program, simplifyBody);
  mapKeys(program, fold);
  for (const state of statesOf(program)) dropZeroKeys(state);
}

/** A select ignores values of width 0: there is only one such value, so every pattern matches it. */
function dropZeroKeys(state: IrState): void {
  const { next } = state;
  if (next.kind !== "select" || !next.keys.some(isZeroWidth)) return;
  const kept = next.keys.flatMap((key, index) => (isZeroWidth(key) ? [] : [index]));
  const keep = (patterns: EntryKey[]): EntryKey[] => kept.map((index) => defined(patterns[index]));
  const cases = next.cases.map((one) =>
    Array.isArray(one.patterns) ? { ...one, patterns: keep(one.patterns) } : one,
  );
  const [first] = cases;
  if (kept.length === 0) state.next = { kind: "goto", target: first?.target ?? "reject" };
  else state.next = { ...next, keys: kept.map((index) => defined(next.keys[index])), cases };
}

/** The same for one list of statements. */
function simplifyBody(body: Stmt[]): Stmt[] {
  const done: Stmt[] = [];
  for (const stmt of body) {
    for (const one of simplifyStmt(stmt)) {
      done.push(one);
      if (endsHere(one)) return done;
    }
  }
  return done;
}

function simplifyStmt(stmt: Stmt): Stmt[] {
  const folded = mapBlocks(
    mapStmtExprs(stmt, (expr, write) => (write && isZeroWidth(expr) ? expr : fold(expr))),
    simplifyBody,
  );
  switch (folded.kind) {
    case "block":
      return simplifyBlock(folded.body, folded.label, folded);
    case "if":
      return simplifyIf(folded);
    case "assign":
      // A value of width 0 needs no write, and x = x changes nothing.
      return isZeroWidth(folded.left) ||
        (folded.left.kind === "variable" && samePlace(folded.left, folded.right))
        ? []
        : [folded];
    case "extern":
      // A result of width 0 has no storage.
      return isResultOfNoBits(folded) ? [] : [folded];
    case "loop":
      return folded.condition.kind === "bool" && !folded.condition.value ? [] : [folded];
    case "apply": {
      const branches = folded.branches;
      const empty =
        branches !== undefined &&
        (branches.kind === "hit"
          ? branches.hit.length === 0 && branches.miss.length === 0
          : branches.otherwise.length === 0 && branches.cases.every((one) => one.body.length === 0));
      return [empty ? { ...folded, branches: undefined } : folded];
    }
    default:
      return [folded];
  }
}

/** Whether all that a call does is to compute numbers of width 0. */
function isResultOfNoBits({ about, args, outs, result }: StmtOf<"extern">): boolean {
  if (about.computes !== true || (result !== undefined && !isZeroWidth(result))) return false;
  return outs.every((index) => isZeroWidth(defined(args[index])));
}

function simplifyIf(stmt: Extract<Stmt, { kind: "if" }>): Stmt[] {
  const { condition, whenTrue, whenFalse } = stmt;
  if (condition.kind === "bool") return condition.value ? whenTrue : whenFalse;
  if (whenTrue.length === 0 && whenFalse.length === 0) return [];
  // A negated condition has one form: without the negation, with the branches exchanged.
  if (condition.kind === "unary" && whenFalse.length > 0)
    return [{ ...stmt, condition: condition.operand, whenTrue: whenFalse, whenFalse: whenTrue }];
  if (whenTrue.length === 0)
    return [{ ...stmt, condition: fold(not(condition, condition.span)), whenTrue: whenFalse, whenFalse: [] }];
  return [stmt];
}

function simplifyBlock(
  body: Stmt[],
  label: Label | undefined,
  stmt: Extract<Stmt, { kind: "block" }>,
): Stmt[] {
  if (label === undefined) return stmt.annotations === undefined ? body : [{ ...stmt, body }];
  const trimmed = trimTail(body, label);
  if (leaves(trimmed, label)) return [{ ...stmt, body: trimmed }];
  return stmt.annotations === undefined ? trimmed : [{ ...stmt, label: undefined, body: trimmed }];
}

/** Without `leave` statements at the end of the block that they leave. */
function trimTail(body: Stmt[], label: Label): Stmt[] {
  const last = body.at(-1);
  if (last === undefined) return body;
  const head = body.slice(0, -1);
  if (last.kind === "leave") return last.label === label ? trimTail(head, label) : body;
  if (last.kind === "if") {
    const whenTrue = trimTail(last.whenTrue, label);
    const whenFalse = trimTail(last.whenFalse, label);
    return [...head, ...simplifyIf({ ...last, whenTrue, whenFalse })];
  }
  if (last.kind === "switch")
    return [
      ...head,
      { ...last, cases: last.cases.map((one) => ({ ...one, body: trimTail(one.body, label) })) },
    ];
  if (last.kind === "block") return [...head, { ...last, body: trimTail(last.body, label) }];
  if (last.kind === "apply" && last.branches !== undefined) {
    const trimmed = mapBlocks(last, (inner) => trimTail(inner, label));
    return [...head, trimmed];
  }
  return body;
}

function leaves(body: readonly Stmt[], label: Label): boolean {
  let found = false;
  forEachStmt(body, (stmt) => {
    if (stmt.kind === "leave" && stmt.label === label) found = true;
  });
  return found;
}

/** Whether the statements after this one can never run. */
function endsHere(stmt: Stmt): boolean {
  if (stmt.kind === "leave" || stmt.kind === "exit") return true;
  if (stmt.kind === "if") return ends(stmt.whenTrue) && ends(stmt.whenFalse);
  if (stmt.kind === "block") return stmt.label === undefined && ends(stmt.body);
  return false;
}

function ends(body: readonly Stmt[]): boolean {
  const last = body.at(-1);
  return last !== undefined && endsHere(last);
}
