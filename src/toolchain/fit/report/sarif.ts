/** Findings in SARIF 2.1.0, which code hosts show at the lines. */

import type { Diagnostic } from "../../../base/index.js";
import { defined } from "../../../base/index.js";
import { type BudgetUse, overBudgetText } from "../budget.js";
import { MEANINGS } from "../codes.js";
import type { Advice } from "../explain.js";
import type { FitResult } from "../fit.js";
import type { Unit } from "../model/model.js";
import { verdictLine } from "./text.js";

const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

/** What the results of this document mean, by rule. */
const RULES: Readonly<Record<string, string>> = {
  verdict: "The program does not fit the target, or no placement within the target was found.",
  budget: "The program uses more of a resource than the budget allows.",
  "advice-output": "Tables write one field in turn, which costs stages.",
  "advice-container": "Tables write fields of one PHV container, which costs stages.",
  "advice-size": "A smaller table would save stages.",
  "advice-memory": "Small exact tables would take less memory as ternary tables.",
  "advice-match": "A table or condition waits for the result of an earlier table.",
};

/** One SARIF 2.1.0 document. @param version of p4loom */
export function toSarif(
  result: FitResult,
  budget: readonly BudgetUse[],
  advice: readonly Advice[],
  version: string,
): object {
  const findings: Finding[] = [
    ...result.diagnostics.map(fromDiagnostic),
    ...verdictFindings(result),
    ...budget
      .filter((use) => !use.within)
      .map((use) => finding("budget", "error", overBudgetText(use), placesOf(result, criticalUnits(result)))),
    ...advice.map(({ kind, message, stages, source }) =>
      finding(
        `advice-${kind}`,
        "note",
        `${message} (${stages} stages)`,
        source === undefined
          ? placesOf(result, [])
          : [location(source.filename, source.line, source.column + 1)],
      ),
    ),
  ];
  const rules = [...new Set(findings.map(({ ruleId }) => ruleId))].sort().map((id) => ({
    id,
    shortDescription: { text: RULES[id] ?? MEANINGS[id] ?? id },
  }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "p4loom fit", version, rules } }, results: findings }],
  };
}

interface Finding {
  readonly ruleId: string;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly object[];
}

function finding(ruleId: string, level: string, text: string, locations: readonly object[]): Finding {
  return { ruleId, level, message: { text }, locations };
}

/** The verdict at the tables that cause it: those without a stage, else the longest chain or the largest table. */
function verdictFindings(result: FitResult): Finding[] {
  const { verdict, placement } = result;
  if (verdict === "placed" || verdict === "refused") return [];
  if (placement.unplaced.length === 0) {
    return [finding("verdict", "error", verdictLine(result), placesOf(result, criticalUnits(result)))];
  }
  return placement.unplaced.map(({ unit, detail }) =>
    finding("verdict", "error", `cannot fit ${result.target.title}: ${detail}`, placesOf(result, [unit])),
  );
}

/** Units that hold the number of stages up: of the longest chain, or the largest user of the scarcest resource. */
function criticalUnits({ problem, bounds }: FitResult): Unit[] {
  const [highest] = bounds;
  const { units } = problem.model;
  if (highest === undefined || highest.name === "critical path") {
    return problem.graph.criticalUnits.map((id) => defined(units[id]));
  }
  const blocks = (unit: Unit) => {
    const layout = defined(problem.plans[unit.id]).layout(unit.size);
    const shared = defined(problem.demands[unit.id]).shared.reduce((sum, memory) => sum + memory.srams, 0);
    return highest.name === "tcams" ? layout.tcams : layout.srams + shared;
  };
  return [...units].sort((a, b) => blocks(b) - blocks(a) || a.id - b.id).slice(0, 1);
}

/** Places of the first unit that has one; else the first place of the program. */
function placesOf(result: FitResult, units: readonly Unit[]): object[] {
  const source = [...units, ...result.model.units].find((unit) => unit.source !== undefined)?.source;
  return source === undefined ? [] : [location(source.filename, source.line, source.column + 1)];
}

function location(uri: string, startLine: number, startColumn: number): object {
  return { physicalLocation: { artifactLocation: { uri }, region: { startLine, startColumn } } };
}

function fromDiagnostic(diagnostic: Diagnostic): Finding {
  const { span } = diagnostic;
  const notes = diagnostic.notes.map((note) => note.message);
  const locations: object[] = [];
  if (span !== undefined) {
    const { line, column } = span.file.position(span.start);
    locations.push(location(span.file.path, line, column));
  }
  return finding(
    diagnostic.code,
    LEVELS[diagnostic.severity],
    [diagnostic.message, ...notes].join(". "),
    locations,
  );
}
