/** Order statistics of samples that are all kept; a sample may be infinite: the recovery time of a flow that never recovers. */

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
