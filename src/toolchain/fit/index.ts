/**
 * Does a program fit a switch chip? `fitProgram` builds the model of a program's tables (model/), checks it against
 * what the hardware can do (check/), finds dependencies, lays out memories (memory/) and packet fields (phv/), and
 * places tables in stages (place/). Targets are data: `targetSchema` is the shape of a target file.
 */

export {
  type BudgetItem,
  checkBudget,
  difference,
  differenceText,
  type FitDifference,
  overBudgetText,
  parseBudget,
} from "./budget.js";
export { CODES as FIT_CODES } from "./codes.js";
export { type Advice, type Explanation, explain, explanationText } from "./explain.js";
export { conclude, type FitOptions, type FitResult, fitExactly, fitProgram, type Verdict } from "./fit.js";
export { type Growth, growthOf, growthText } from "./growth.js";
export { compareLogs, logsText } from "./logs/compare.js";
export { LOG_NAMES, type LogName, readLogs } from "./logs/read.js";
export { onePipe, pipesOf } from "./model/pipe.js";
export { type GraphTable, placeGreedily, type TableGraph } from "./place/rmt.js";
export { findReasons, QUICK, type Reason, reasonsText } from "./reason/reason.js";
export { toHtml } from "./report/html.js";
export { type FitDocument, type TableReport, toJson } from "./report/json.js";
export { toSarif } from "./report/sarif.js";
export { summaryLine, type Tightest, tightest } from "./report/summary.js";
export { toText, verdictLine } from "./report/text.js";
export { fitSweep, parseSweep, sweepText } from "./sweep.js";
export { type Target, targetSchema } from "./target.js";
