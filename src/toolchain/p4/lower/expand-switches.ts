/** Pass: `switch` on a value becomes a chain of conditions, first match first (section 12.7). */
import { equal, or, variable } from "./build.js";
import type { Expr, IrProgram, Stmt, StmtOf } from "./ir.js";
import { newLocal } from "./ir.js";
import { isFixedPlace } from "./places.js";
import { mapBlocks, mapProgram } from "./walk.js";

export function expandSwitches(program: IrProgram): void {
  const expand = (body: Stmt[]): Stmt[] =>
    body.flatMap((stmt) => {
      const inner = mapBlocks(stmt, expand);
      return inner.kind === "switch" ? expandOne(inner) : [inner];
    });
  const expandOne = (stmt: StmtOf<"switch">): Stmt[] => {
    const before: Stmt[] = [];
    let subject = stmt.subject;
    // Computed once; a body runs after the last test, so it cannot disturb one.
    if (!isFixedPlace(subject)) {
      subject = variable(newLocal(program, "key", subject.type, subject.span), stmt.subject.span);
      before.push({ kind: "assign", left: subject, right: stmt.subject, span: stmt.subject.span });
    }
    let rest = stmt.cases.find((one) => one.values === undefined)?.body ?? [];
    for (const one of [...stmt.cases].reverse()) {
      if (one.values === undefined) continue;
      const tests = one.values.map((value): Expr => equal(subject, value, stmt.subject.span));
      const condition = tests.reduce((left, right) => or(left, right, stmt.subject.span));
      rest = [{ kind: "if", condition, whenTrue: one.body, whenFalse: rest, span: stmt.subject.span }];
    }
    return [...before, ...rest];
  };
  mapProgram(program, expand);
}
