/**
 * Figures of samples: means with confidence intervals, quantiles (exact, in little memory, and over time), distributions,
 * evenness, and tests whether two designs differ. Pure functions and small collectors; `sketch.ts` and `time-weighted.ts` can go to JSON
 * and back.
 */

export {
  looksOf,
  mser5,
  relativeHalfWidth,
  type StoppingRule,
  samplesWanted,
  type Truncation,
} from "./convergence.js";
export { Moments } from "./moments.js";
export { meanInterval, pairedTTest, signFlipTest, wilcoxonTest } from "./paired-tests.js";
export {
  ascending,
  cdfPoints,
  coefficientOfVariation,
  maxOverMean,
  mean,
  quantile,
  summarise,
} from "./samples.js";
export { QuantileSketch, type SketchJson } from "./sketch.js";
export { TimeWeighted, type TimeWeightedJson, TimeWeightedRecorder } from "./time-weighted.js";
