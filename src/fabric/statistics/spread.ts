/** How evenly something is spread: rates over flows, load over links. */
import { momentsOf } from "./moments.js";

/**
 * Jain's index: 1 where all shares are equal, 1/n where one of n has everything (Jain, Chiu, Hawe, DEC-TR-301, 1984). 1 where all are 0;
 * NaN without shares.
 */
export function jainIndex(shares: Iterable<number>): number {
  let [count, sum, squares] = [0, 0, 0];
  for (const share of shares) {
    count++;
    sum += share;
    squares += share * share;
  }
  if (count === 0) return Number.NaN;
  return squares === 0 ? 1 : (sum * sum) / (count * squares);
}

/** Standard deviation (of the population) over mean; 0 where all are 0, NaN without values. */
export function coefficientOfVariation(values: Iterable<number>): number {
  const { mean, populationVariance } = momentsOf(values);
  return mean === 0 && populationVariance === 0 ? 0 : Math.sqrt(populationVariance) / mean;
}

/** 1 where all are equal, or 0; NaN without values. */
export function maxOverMean(values: readonly number[]): number {
  const { mean } = momentsOf(values);
  if (values.length === 0) return Number.NaN;
  return mean === 0 ? 1 : values.reduce((a, b) => Math.max(a, b)) / mean;
}
