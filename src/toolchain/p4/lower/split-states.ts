/**
 * Pass: BMv2's parser states have no control flow inside. Conditions, loops and blocks that are left early become
 * states and transitions of their own.
 */
import { variable } from "./build.js";
import type { Expr, IrProgram, IrState, IrTransition, Label, StateTarget, Stmt } from "./ir.js";
import { newLocal, parsersOf } from "./ir.js";
import { BOOL } from "./ir-types.js";
import { Names } from "./names.js";
import { isFixedPlace } from "./places.js";
import { statesOfParser } from "./walk.js";

export function splitStates(program: IrProgram): void {
  for (const parser of parsersOf(program)) {
    const names = new Names();
    for (const state of statesOfParser(parser)) names.unique(state.name);
    const splitter = new Splitter(program, names);
    for (const state of statesOfParser(parser)) {
      const body = state.body;
      state.body = [];
      splitter.lay(state, body, state.next);
    }
  }
}

class Splitter {
  readonly #labels = new Map<Label, StateTarget>();

  constructor(
    readonly program: IrProgram,
    readonly names: Names,
  ) {}

  #newState(base: IrState, next: IrTransition): IrState {
    return { name: this.names.unique(base.name), span: base.span, body: [], next };
  }

  /** Adds the statements to the state and ends it with a transition to `next`. */
  lay(state: IrState, body: readonly Stmt[], next: IrTransition): void {
    for (const [index, stmt] of body.entries()) {
      if (stmt.kind !== "if" && stmt.kind !== "loop" && stmt.kind !== "block" && stmt.kind !== "leave") {
        state.body.push(stmt);
        continue;
      }
      if (stmt.kind === "leave") {
        state.next = { kind: "goto", target: this.#labels.get(stmt.label) ?? "accept" };
        return;
      }
      // The continuation: the transition itself when no statement is left, else a new state.
      const rest = body.slice(index + 1);
      const join = this.#newState(state, next);
      this.lay(join, rest, next);
      const onward: IrTransition = { kind: "goto", target: join };
      if (stmt.kind === "block") {
        if (stmt.label !== undefined) this.#labels.set(stmt.label, join);
        this.lay(state, stmt.body, onward);
      } else if (stmt.kind === "if") {
        const whenTrue = this.#newState(state, onward);
        const whenFalse = stmt.whenFalse.length === 0 ? join : this.#newState(state, onward);
        this.lay(whenTrue, stmt.whenTrue, onward);
        if (whenFalse !== join) this.lay(whenFalse, stmt.whenFalse, onward);
        this.#branch(state, stmt.condition, whenTrue, whenFalse);
      } else {
        const head = this.#newState(state, onward);
        const inside = this.#newState(state, onward);
        this.lay(inside, [...stmt.body, ...stmt.update], { kind: "goto", target: head });
        this.#branch(head, stmt.condition, inside, join);
        state.next = { kind: "goto", target: head };
      }
      return;
    }
    state.next = next;
  }

  #branch(state: IrState, condition: Expr, whenTrue: IrState, whenFalse: IrState): void {
    let key = condition;
    if (!isFixedPlace(condition)) {
      key = variable(newLocal(this.program, "tmp", BOOL, condition.span), condition.span);
      state.body.push({ kind: "assign", left: key, right: condition, span: condition.span });
    }
    const span = condition.span ?? this.program.mainSpan;
    state.next = {
      kind: "select",
      keys: [key],
      cases: [
        { patterns: [{ kind: "exact", value: 1n }], target: whenTrue, span },
        { patterns: [{ kind: "any" }], target: whenFalse, span },
      ],
      span,
    };
  }
}
