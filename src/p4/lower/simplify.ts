/**
 * Pass: folds constants, drops what cannot run, and removes blocks that nothing leaves early. What it
 * leaves has one shape for one meaning, so that the passes after it see few cases.
 */
import { not } from "./build.js";
import { fold } from "./fold.js";
import type { IrProgram, Label, Stmt } from "./ir.js";
import { forEachStmt, mapBlocks, mapKeys, mapProgram, mapStmtExprs } from "./walk.js";

export function simplify(program: IrProgram): void {
  mapProgram(program, simplifyBody);
  mapKeys(program, fold);
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
  const folded = mapBlocks(mapStmtExprs(stmt, fold), simplifyBody);
  switch (folded.kind) {
    case "block":
      return simplifyBlock(folded.body, folded.label, folded);
    case "if":
      return simplifyIf(folded);
    case "assign":
      // x = x changes nothing.
      return folded.left.kind === "variable" &&
        folded.right.kind === "variable" &&
        folded.left.variable === folded.right.variable
        ? []
        : [folded];
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

function simplifyIf(stmt: Extract<Stmt, { kind: "if" }>): Stmt[] {
  const { condition, whenTrue, whenFalse } = stmt;
  if (condition.kind === "bool") return condition.value ? whenTrue : whenFalse;
  if (whenTrue.length === 0 && whenFalse.length === 0) return [];
  // One form of a negated condition: the branches change places.
  if (condition.kind === "unary" && condition.op === "!" && whenFalse.length > 0)
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
  if (label === undefined) return body;
  const trimmed = trimTail(body, label);
  return leaves(trimmed, label) ? [{ ...stmt, body: trimmed }] : trimmed;
}

/** Without the `leave` statements that stand where the block ends anyway. */
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

/** Whether what follows the statement can never run. */
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
