/**
 * Whether two designs differ, from pairs of results under the same conditions (the same seed: the same arrivals). All p-values are
 * two-sided; they are 1 where no pair differs.
 */
import type { Random } from "../../base/index.js";
import { momentsOf } from "./moments.js";
import { ascending } from "./samples.js";
import { studentTail } from "./student-t.js";

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
