/** Statements of a pipe's blocks, with those of tables' actions, and which tables one packet can meet one after the other. */
import type { Expr, IrAction, IrBlock, IrTable, Stmt } from "../../../lower/ir.js";
import { blocksOf, forEachStmt, operandsOf, statesOfParser } from "../../../lower/walk.js";

/** The statement lists of a block: its states, or its body and the actions of its tables. */
function bodiesOf(block: IrBlock): (readonly Stmt[])[] {
  if (block.kind === "parser") return statesOfParser(block.body).map(({ body }) => body);
  const { body, tables } = block.body;
  return [body, ...tables.flatMap(({ actions }) => actions.map(({ action }) => action.body))];
}

/** Whether a value depends on a local variable. */
export function readsLocal(value: Expr): boolean {
  return value.kind === "variable" ? value.variable.role === "local" : operandsOf(value).some(readsLocal);
}

export function forEachStmtOfBlock(block: IrBlock, visit: (stmt: Stmt) => void): void {
  for (const body of bodiesOf(block)) forEachStmt(body, visit);
}

/** What one packet meets: a table, or an action that is called directly, which the compiler makes a table. */
export type Step = IrTable | IrAction;

/**
 * Calls `meets` for each step with those that the same packet may have met before it. A path that leaves a block or the control early
 * is not followed, so that nothing is said to follow that may not (p4c's `TableMutex`).
 */
export function followSteps(
  body: readonly Stmt[],
  meets: (step: Step, stmt: Stmt, before: ReadonlySet<Step>) => void,
): void {
  follow(body, new Set(), meets);
}

/** The steps after a list; undefined where no packet comes to its end. */
function follow(
  body: readonly Stmt[],
  start: ReadonlySet<Step>,
  meets: (step: Step, stmt: Stmt, before: ReadonlySet<Step>) => void,
): ReadonlySet<Step> | undefined {
  let seen: ReadonlySet<Step> | undefined = start;
  for (const stmt of body) {
    if (seen === undefined) return undefined;
    if (stmt.kind === "exit" || stmt.kind === "leave") return undefined;
    const step = stmt.kind === "apply" ? stmt.table : stmt.kind === "action" ? stmt.action : undefined;
    if (step !== undefined) {
      meets(step, stmt, seen);
      seen = new Set([...seen, step]);
    }
    if (stmt.kind === "action") continue;
    // Inside of its own branches a table has run one action, and which one depends on the branch.
    const before: ReadonlySet<Step> =
      stmt.kind === "apply" ? new Set([...seen].filter((one) => one !== step)) : seen;
    const inner = blocksOf(stmt);
    if (inner.length === 0) continue;
    const ends = inner.map((part) => follow(part, before, meets)).filter((end) => end !== undefined);
    if (ends.length === 0 && (stmt.kind === "block" || isExhaustive(stmt))) return undefined;
    const skipping: readonly Step[] = stmt.kind === "block" ? [] : [...seen];
    seen = new Set([...skipping, ...ends.flatMap((end) => [...end])]);
  }
  return seen;
}

/** Whether a packet takes one of the inner lists. */
function isExhaustive(stmt: Stmt): boolean {
  return stmt.kind === "if" ? stmt.whenTrue.length > 0 && stmt.whenFalse.length > 0 : false;
}
