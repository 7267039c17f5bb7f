/**
 * Whether two designs differ, from pairs of results under the same conditions (the same seed: the same arrivals). All p-values are
 * two-sided; they are 1 where no pair differs.
 */
import type { Random } from "../../base/index.js";
import { momentsOf } from "./moments.js";
import { ascending } from "./samples.js";

interface PairedTest {
  /** Mean of the differences, second minus first. */
  readonly difference: number;
  readonly p: number;
}

function differencesOf(first: readonly number[], second: readonly number[]): number[] {
  if (first.length !== second.length)
    throw new RangeError(`${first.length} and ${second.length} samples are no pairs`);
  return first.map((value, i) => second[i]! - value);
}

/** Paired t test: the differences come from a normal distribution. p is NaN for fewer than two pairs. */
export function pairedTTest(first: readonly number[], second: readonly number[]): PairedTest {
  const { count, mean, variance } = momentsOf(differencesOf(first, second));
  if (variance === 0) return { difference: mean, p: mean === 0 ? 1 : 0 };
  return { difference: mean, p: studentTail(Math.abs(mean) / Math.sqrt(variance / count), count - 1) };
}

/** Up to this number of differences, all assignments of signs are counted. */
const EXACT_SIGNS = 20;
const DRAWS = 100_000;

/**
 * Sign-flip permutation test of the mean difference: under the hypothesis, each difference has either sign with the same probability. Exact
 * up to 20 pairs, so that its minimum p is 2^(1 - pairs); beyond that from 100,000 draws of `random`.
 */
export function signFlipTest(
  first: readonly number[],
  second: readonly number[],
  random: Random,
): PairedTest {
  const differences = differencesOf(first, second);
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const total = Math.abs(differences.reduce((sum, value) => sum + value, 0));
  const difference = momentsOf(differences).mean;
  if (sizes.length === 0) return { difference, p: differences.length === 0 ? Number.NaN : 1 };
  // Sums that differ by rounding alone count as equal.
  const limit = total - 1e-12 * sizes.reduce((sum, size) => sum + size, 0);
  const isExtreme = (signs: (i: number) => boolean) =>
    Math.abs(sizes.reduce((sum, size, i) => sum + (signs(i) ? size : -size), 0)) >= limit;
  let extreme = 0;
  if (sizes.length <= EXACT_SIGNS) {
    const cases = 2 ** sizes.length;
    for (let signs = 0; signs < cases; signs++) if (isExtreme((i) => ((signs >>> i) & 1) === 1)) extreme++;
    return { difference, p: extreme / cases };
  }
  for (let draw = 0; draw < DRAWS; draw++) if (isExtreme(() => random.uint32() >= 2 ** 31)) extreme++;
  // The observed assignment is one of the cases (Phipson and Smyth, 2010).
  return { difference, p: (extreme + 1) / (DRAWS + 1) };
}

/**
 * Wilcoxon's signed-rank test. Pairs without a difference are left out, equal differences have their mean rank. Exact for every
 * number of pairs, in time that grows with its third power. `difference` is the median.
 */
export function wilcoxonTest(first: readonly number[], second: readonly number[]): PairedTest {
  const differences = differencesOf(first, second);
  const sorted = ascending(differences);
  const middle = (sorted.length - 1) / 2;
  const difference = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  const nonZeros = differences.filter((value) => value !== 0);
  if (nonZeros.length === 0) return { difference, p: differences.length === 0 ? Number.NaN : 1 };
  const doubled = doubledRanks(nonZeros.map(Math.abs));
  const positive = doubled.reduce((sum, rank, i) => sum + (nonZeros[i]! > 0 ? rank : 0), 0);
  const all = doubled.reduce((sum, rank) => sum + rank, 0);
  const low = Math.min(positive, all - positive);
  return { difference, p: exactRankTail(doubled, low) };
}

/** Twice the mean rank of each size, from 1: whole numbers also where sizes are equal. */
function doubledRanks(sizes: readonly number[]): number[] {
  const sorted = ascending(sizes);
  return sizes.map((size) => sorted.indexOf(size) + sorted.lastIndexOf(size) + 2);
}

/** Probability that the sum of the ranks of one sign is at most `low`, or of the other sign. */
function exactRankTail(doubled: readonly number[], low: number): number {
  const all = doubled.reduce((sum, rank) => sum + rank, 0);
  // Share of the assignments of signs by the sum of the positive ranks.
  const shares = new Float64Array(all + 1);
  shares[0] = 1;
  for (const rank of doubled)
    for (let sum = all; sum >= 0; sum--)
      shares[sum] = shares[sum]! / 2 + (sum >= rank ? shares[sum - rank]! / 2 : 0);
  let tail = 0;
  for (let sum = 0; sum <= low; sum++) tail += shares[sum]!;
  return Math.min(1, 2 * tail);
}

// Student's t distribution, and confidence intervals of means.

/** Lanczos' approximation with g = 7 and nine terms; relative error below 1e-13. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x: number): number {
  let sum = LANCZOS[0]!;
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i]! / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22) with Lentz' method. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast below the mean of the distribution; beyond it the other tail is taken (DLMF 8.17.4).
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(
    a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b) - Math.log(a),
  );
  let [fraction, c, d] = [1, 1, 0];
  for (let m = 0; m <= 500; m++) {
    const k = Math.floor(m / 2);
    const numerator =
      m === 0
        ? 1
        : m % 2 === 0
          ? (k * (b - k) * x) / ((a + 2 * k - 1) * (a + 2 * k))
          : (-(a + k) * (a + b + k) * x) / ((a + 2 * k) * (a + 2 * k + 1));
    d = 1 / nonZero(1 + numerator * d);
    c = nonZero(1 + numerator / c);
    fraction *= c * d;
    if (m > 0 && Math.abs(1 - c * d) < 1e-15) break;
  }
  return front * (fraction - 1);
}

function nonZero(x: number): number {
  return Math.abs(x) < 1e-300 ? 1e-300 : x;
}

/** Probability that |T| is at least `t` under `freedom` degrees of freedom. */
export function studentTail(t: number, freedom: number): number {
  if (!Number.isFinite(t)) return 0;
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** Quantiles that were computed: a rule of many looks asks for the same few again and again. */
const quantiles = new Map<string, number>();

/** The t that |T| exceeds with probability `tail` (two-sided). */
export function studentQuantile(tail: number, freedom: number): number {
  const key = `${tail} ${freedom}`;
  const known = quantiles.get(key) ?? bisectedQuantile(tail, freedom);
  // A file has a few confidences, each with at most its number of seeds.
  if (quantiles.size < MOST_QUANTILES) quantiles.set(key, known);
  return known;
}

const MOST_QUANTILES = 10_000;

function bisectedQuantile(tail: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (studentTail(high, freedom) > tail) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-13 * high; i++) {
    const middle = (low + high) / 2;
    if (studentTail(middle, freedom) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

interface MeanInterval {
  readonly mean: number;
  /** The interval is the mean plus and minus this; undefined for fewer than two samples. */
  readonly halfWidth: number | undefined;
}

/** The mean of independent samples with its Student-t confidence interval. */
export function meanInterval(samples: readonly number[], confidence = 0.95): MeanInterval {
  const { count, mean, variance } = momentsOf(samples);
  if (count < 2) return { mean, halfWidth: undefined };
  return { mean, halfWidth: studentQuantile(1 - confidence, count - 1) * Math.sqrt(variance / count) };
}
