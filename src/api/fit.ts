/**
 * `p4loom/fit`: whether a program fits an RMT or Tofino pipeline, where its tables are placed, and why it does not fit. Page:
 * docs/fit/README.md.
 */
export {
  type Advice,
  type BudgetItem,
  checkBudget,
  difference,
  differenceText,
  type Explanation,
  explain,
  explanationText,
  type FitDifference,
  type FitDocument,
  type FitOptions,
  type FitResult,
  fitProgram,
  parseBudget,
  type Target,
  targetSchema,
  toHtml,
  toJson,
  toSarif,
  toText,
  type Verdict,
  verdictLine,
} from "../toolchain/fit/index.js";
