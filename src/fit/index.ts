/**
 * Does a program fit a switch chip? `fitProgram` builds the model of a program's tables (model/), finds what must
 * come after what (dependencies), lays out memories (memory/) and packet fields (phv/), and places tables in stages
 * (place/). Targets are data: `parseTarget` checks what a target file says.
 */
export { conclude, type FitOptions, type FitResult, fitProgram, type Verdict } from "./fit.js";
export { parseTarget, type Target, targetSchema } from "./target.js";
export { type Advice, explain, type Explanation, explanationText } from "./explain.js";
export { type BudgetItem, difference, differenceText, type FitDifference, overBudget, parseBudget } from "./budget.js";
export { parseSweep, runSweep, type Sweep, type SweepPoint, sweepText } from "./sweep.js";
export { type FitDocument, type TableReport, toJson } from "./report/json.js";
export { toText, verdictLine } from "./report/text.js";
export { toSarif } from "./report/sarif.js";
export type { SourceLookup } from "./source.js";
