/** What the methods of a register's actions compute, held against the stateful ALU that they share. */

import type { bmv2 } from "../../../program/index.js";
import { CODES } from "../../codes.js";
import type { CheckContext } from "../check-context.js";
import type { Findings, Rule } from "./operands.js";
import { selectInstructions } from "./select.js";

const RULES: Readonly<Record<Rule, string>> = {
  width: CODES.aluOperandWidth,
  operation: CODES.aluOperation,
  condition: CODES.aluComparison,
  constant: CODES.aluComparison,
  bit: CODES.aluOperation,
  writes: CODES.aluWrites,
  output: CODES.aluResult,
};

/** The first finding of each rule in each method, and the constants of all methods of a register. */
export function checkMethods({ model, target, refuse }: CheckContext): void {
  const used = new Set(
    model.units.flatMap(({ attached }) => attached.map(({ name }) => name.replace(/#\d+$/, ""))),
  );
  const registers = new Map<string, bmv2.AluMethod[]>();
  for (const method of model.program.architecture?.methods ?? [])
    if (used.has(method.register) && method.sameWords)
      registers.set(method.register, [...(registers.get(method.register) ?? []), method]);
  for (const [register, methods] of registers) {
    const rows = new Set<string>();
    for (const method of methods) {
      const found = new Set<Rule>();
      const findings: Findings = {
        add: (rule, source, { what, instead }) => {
          if (found.has(rule)) return;
          found.add(rule);
          refuse(
            RULES[rule],
            source ?? method.source_info,
            `the stateful ALU of register ${register} does not run ${method.action}: ${what}`,
            instead,
          );
        },
      };
      for (const row of selectInstructions(method, target.stateful, findings).rows) rows.add(row);
    }
    const { constant_rows: most, min_constant: min, max_constant: max } = target.stateful;
    if (most === null || rows.size <= most) continue;
    refuse(
      CODES.aluConstants,
      methods[0]?.source_info,
      `the actions of register ${register} have ${rows.size} constants beyond ${min} to ${max}: ${[...rows].join(", ")}`,
      `the ALU of a register keeps ${most} for all of its actions: hand some in as values of the packet or of an entry`,
    );
  }
}
