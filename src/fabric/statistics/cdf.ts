/** Points of empirical distributions, for plots. */
import { ascending } from "./samples.js";

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
