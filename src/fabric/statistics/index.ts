/**
 * Figures of samples: means with confidence intervals, quantiles (exact, in little memory, and over time), distributions,
 * evenness, and tests whether two designs differ. Pure functions and small collectors; `sketch.ts` and `time-weighted.ts` can go to JSON
 * and back.
 */
export { RELATIVE_ERROR, WHOLE_RELATIVE_ERROR } from "./buckets.js";
export { type CdfPoint, cdfPoints } from "./cdf.js";
export { Moments, momentsOf } from "./moments.js";
export { type PairedTest, pairedTTest, signFlipTest, wilcoxonTest } from "./paired-tests.js";
export { ascending, mean, quantile, type Summary, summarise } from "./samples.js";
export { QuantileSketch, type SketchJson } from "./sketch.js";
export { coefficientOfVariation, jainIndex, maxOverMean } from "./spread.js";
export { type MeanInterval, meanInterval, studentQuantile, studentTail } from "./student-t.js";
export { TimeWeighted, type TimeWeightedJson, TimeWeightedRecorder } from "./time-weighted.js";
