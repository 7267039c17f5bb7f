/**
 * The parser of a Tofino has no state that rejects. The compiler ends a parser at `reject` as at `accept` (`extract_parser.cpp` of p4c's
 * Tofino back end), and P4Testgen's target goes on as well. A select in which nothing matches is the hardware's error PARSER_ERROR_NO_MATCH:
 * a failed verify.
 */
import type { Expr, IrProgram, IrState, StateTarget } from "../../../lower/ir.js";
import { parsersOf } from "../../../lower/ir.js";
import { statesOfParser } from "../../../lower/walk.js";

export function rejectWithError(program: IrProgram): void {
  for (const parser of parsersOf(program)) {
    const index = program.errors.indexOf("NoMatch");
    const error: Expr = { kind: "member", name: "NoMatch", index, type: { kind: "error" }, span: undefined };
    const states = statesOfParser(parser);
    const taken = new Set(states.map(({ name }) => name));
    let name = "reject";
    while (taken.has(name)) name += "_";
    const condition: Expr = { kind: "bool", value: false, type: { kind: "bool" }, span: undefined };
    const rejected: IrState = {
      name,
      span: undefined,
      body: [{ kind: "verify", condition, error, span: undefined }],
      next: { kind: "goto", target: "accept" },
    };
    const change = (target: StateTarget): StateTarget => (target === "reject" ? "accept" : target);
    for (const state of states) {
      const { next } = state;
      if (next.kind === "goto") {
        state.next = { kind: "goto", target: change(next.target) };
        continue;
      }
      const cases = next.cases.map((one) => ({ ...one, target: change(one.target) }));
      const isTotal = cases.some(
        ({ patterns }) => Array.isArray(patterns) && patterns.every(({ kind }) => kind === "any"),
      );
      if (!isTotal) {
        const patterns = next.keys.map(() => ({ kind: "any" as const }));
        cases.push({ patterns, target: rejected, span: next.span });
      }
      state.next = { ...next, cases };
    }
  }
}
