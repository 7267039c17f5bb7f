/** Order statistics of samples that may be infinite: the recovery time of a flow that never recovers. */

export interface Summary {
  count: number;
  /** Nearest-rank quantiles; Infinity where too many samples are. */
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** The smallest sample that at least `fraction` of all samples do not exceed (nearest rank); NaN of no samples. */
export function quantile(ascending: readonly number[], fraction: number): number {
  if (ascending.length === 0) return Number.NaN;
  const rank = Math.ceil(fraction * ascending.length - 1e-9);
  return ascending[Math.min(Math.max(rank, 1), ascending.length) - 1]!;
}

export function ascending(samples: readonly number[]): number[] {
  return [...samples].sort((a, b) => (a === b ? 0 : a - b));
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

export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

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
  const stride = points.length / limit;
  if (stride <= 1) return points;
  // Even in rank, and always with both ends.
  return points.filter(
    (_, i) => i === 0 || i === points.length - 1 || Math.floor(i / stride) !== Math.floor((i - 1) / stride),
  );
}
