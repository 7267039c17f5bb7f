/**
 * Figures of samples: means with confidence intervals, quantiles (exact, in little memory, and over time), distributions,
 * evenness, and tests whether two designs differ. Pure functions and small collectors; `sketch.ts` and `time-weighted.ts` can go to JSON
 * and back.
 */
export { cdfPoints } from "./cdf.js";
export { Moments } from "./moments.js";
export { pairedTTest, signFlipTest, wilcoxonTest } from "./paired-tests.js";
export { ascending, mean, quantile, summarise } from "./samples.js";
export { QuantileSketch, type SketchJson } from "./sketch.js";
export { coefficientOfVariation, maxOverMean } from "./spread.js";
export { meanInterval } from "./student-t.js";
export { TimeWeighted, type TimeWeightedJson, TimeWeightedRecorder } from "./time-weighted.js";
