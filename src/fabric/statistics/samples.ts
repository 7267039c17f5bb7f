/** Order statistics of samples that are all kept; a sample may be infinite: the recovery time of a flow that never recovers. */
import { momentsOf } from "./moments.js";

interface Summary {
  count: number;
  /** Nearest-rank quantiles; Infinity where too many samples are. */
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** Position, from 0, of the smallest of `count` ascending samples that at least `fraction` of them do not exceed (nearest rank). */
export function nearestRank(count: number, fraction: number): number {
  const rank = Math.ceil(fraction * count - 1e-9);
  return Math.min(Math.max(rank, 1), count) - 1;
}

/** The smallest sample that at least `fraction` of all samples do not exceed (nearest rank); NaN without samples. */
export function quantile(ascending: readonly number[], fraction: number): number {
  if (ascending.length === 0) return Number.NaN;
  return ascending[nearestRank(ascending.length, fraction)]!;
}

export function ascending(samples: readonly number[]): number[] {
  // Two infinite samples give NaN, which counts as equal.
  return [...samples].sort((a, b) => a - b);
}

export function summarise(samples: readonly number[]): Summary {
  const sorted = ascending(samples);
  return {
    count: sorted.length,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: quantile(sorted, 1),
  };
}

/** NaN without samples. */
export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

// Points of empirical distributions, for plots.

export interface CdfPoint {
  x: number;
  /** Fraction of all samples, infinite ones included, that are at most x. */
  fraction: number;
}

/** The steps of an empirical distribution at its finite samples, thinned to about `limit` points. */
export function cdfPoints(samples: readonly number[], limit = 400): CdfPoint[] {
  const sorted = ascending(samples);
  const points: CdfPoint[] = [];
  for (const [i, x] of sorted.entries()) {
    if (x === Number.POSITIVE_INFINITY) break;
    if (sorted[i + 1] !== x) points.push({ x, fraction: (i + 1) / sorted.length });
  }
  return thinned(points, limit);
}

/** About `limit` of the points, evenly spaced in their order, always with both ends. */
export function thinned<P>(points: readonly P[], limit: number): P[] {
  const stride = points.length / limit;
  if (stride <= 1) return [...points];
  return points.filter(
    (_, i) => i === 0 || i === points.length - 1 || Math.floor(i / stride) !== Math.floor((i - 1) / stride),
  );
}

// How evenly something is spread: rates over flows, load over links.

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
