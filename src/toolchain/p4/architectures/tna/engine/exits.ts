/**
 * Chips after the first have no action that ends its control: their compiler makes a variable of `exit`, and what follows tests it (p4c,
 * midend/removeExits.cpp, for these chips alone by backends/tofino/bf-p4c/midend.cpp). For `p4loom fit`.
 */
import { bool, not, variable } from "../../../lower/build.js";
import {
  controlsOf,
  type Expr,
  type IrAction,
  type IrControl,
  type IrProgram,
  newLocal,
  type Stmt,
} from "../../../lower/ir.js";
import { BOOL } from "../../../lower/ir-types.js";
import { blocksOf, forEachStmt, mapBlocks } from "../../../lower/walk.js";

/** Whether a packet leaves the control in a statement. */
type Leaves = "no" | "maybe" | "yes";

export function flagExits(program: IrProgram): void {
  for (const control of controlsOf(program, ["control"])) {
    const actions = actionsOf(control);
    const exits = [control.body, ...actions.map(({ body }) => body)].some(hasExit);
    if (exits)
      new Flagging(variable(newLocal(program, "has_exited", BOOL, control.span))).run(control, actions);
  }
}

/** The actions of the tables, and those that the control calls. */
function actionsOf(control: IrControl): IrAction[] {
  const called: IrAction[] = [];
  forEachStmt(control.body, (stmt) => {
    if (stmt.kind === "action") called.push(stmt.action);
  });
  return [...new Set([...control.actions, ...called])];
}

function hasExit(body: readonly Stmt[]): boolean {
  let found = false;
  forEachStmt(body, (stmt) => {
    if (stmt.kind === "exit") found = true;
  });
  return found;
}

/** An `if` one branch of which ends the control, with what follows it in the other branch (p4c, frontends/p4/removeReturns.cpp). */
function withRest(stmt: Stmt, rest: readonly Stmt[]): Stmt | undefined {
  if (stmt.kind !== "if" || rest.length === 0) return undefined;
  const { whenTrue, whenFalse } = stmt;
  if (endsIn(whenTrue) === endsIn(whenFalse)) return undefined;
  return endsIn(whenTrue)
    ? { ...stmt, whenFalse: [...whenFalse, ...rest] }
    : { ...stmt, whenTrue: [...whenTrue, ...rest] };
}

const endsIn = (body: readonly Stmt[]): boolean => {
  const last = body.at(-1);
  if (last?.kind === "if") return endsIn(last.whenTrue) && endsIn(last.whenFalse);
  return last?.kind === "exit";
};

class Flagging {
  readonly #leaving = new Set<IrAction>();

  constructor(readonly flag: Expr) {}

  run(control: IrControl, actions: readonly IrAction[]): void {
    for (const action of actions) {
      if (!hasExit(action.body)) continue;
      this.#leaving.add(action);
      action.body = this.#inList(action.body).body;
    }
    const none: Stmt = {
      kind: "assign",
      left: this.flag,
      right: bool(false, control.span),
      span: control.span,
    };
    control.body = [none, ...this.#inList(control.body).body];
  }

  #unlessLeft(body: Stmt[]): Stmt[] {
    if (body.length === 0) return [];
    // The test stands at no line of the program.
    return [{ kind: "if", condition: not(this.flag), whenTrue: body, whenFalse: [], span: undefined }];
  }

  #inList(body: readonly Stmt[]): { body: Stmt[]; leaves: Leaves } {
    const done: Stmt[] = [];
    for (const [at, given] of body.entries()) {
      const moved = withRest(given, body.slice(at + 1));
      if (moved !== undefined) {
        const { stmt, leaves } = this.#inStatement(moved);
        return { body: [...done, stmt], leaves };
      }
      const { stmt, leaves } = this.#inStatement(given);
      done.push(stmt);
      if (leaves === "yes") return { body: done, leaves };
      if (leaves === "maybe") {
        done.push(...this.#unlessLeft(this.#inList(body.slice(at + 1)).body));
        return { body: done, leaves };
      }
    }
    return { body: done, leaves: "no" };
  }

  #inStatement(stmt: Stmt): { stmt: Stmt; leaves: Leaves } {
    if (stmt.kind === "exit")
      return {
        stmt: { kind: "assign", left: this.flag, right: bool(true, stmt.span), span: stmt.span },
        leaves: "yes",
      };
    if (stmt.kind === "action") return { stmt, leaves: this.#leaving.has(stmt.action) ? "maybe" : "no" };
    const own = stmt.kind === "apply" && stmt.table.actions.some(({ action }) => this.#leaving.has(action));
    const found: Leaves[] = own ? ["maybe"] : [];
    const changed = mapBlocks(stmt, (inner) => {
      const { body, leaves } = this.#inList(inner);
      found.push(leaves);
      return own ? this.#unlessLeft(body) : body;
    });
    // Both branches of an `if` alone are sure to run.
    const both = stmt.kind === "if" && blocksOf(stmt).length === 2 && found.every((one) => one === "yes");
    const isBlock = stmt.kind === "block" && stmt.label === undefined && found[0] === "yes";
    return {
      stmt: changed,
      leaves: both || isBlock ? "yes" : found.some((one) => one !== "no") ? "maybe" : "no",
    };
  }
}
