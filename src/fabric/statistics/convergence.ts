/**
 * When a mean is known well enough to stop, and where a series has left its transient. Both are rules of steady-state simulation: the number
 * of replications for a relative precision (Law, Simulation Modeling and Analysis, 5th edition, section 9.4.1), and the truncation MSER-5
 * (White, Cobb and Spratt, WSC 2000).
 */
import { momentsOf } from "./moments.js";
import { meanInterval } from "./paired-tests.js";

// A rule that stops at the first small interval stops too often where the variance happens to look small: with looks from 5 samples on, a
// nominal 95 % interval then covers the mean in 92 % of the cases. Two small intervals in a row, at looks that are a quarter apart, and ten
// samples at least, give 94 to 95 % (test/fabric/statistics/convergence.test.ts measures it).

/** Growth from one look to the next. */
const GROWTH = 1.25;
/** Consecutive looks at which the interval must be small. */
const SMALL_LOOKS = 2;

export interface StoppingRule {
  /** Of the interval, above 0 and below 1. */
  readonly confidence: number;
  /** Half of the interval, at most this part of the mean. */
  readonly within: number;
  /** Numbers of samples at the first and at the last look. */
  readonly least: number;
  readonly most: number;
}

/** The numbers of samples at which a rule looks at the interval, ascending. */
export function looksOf({ least, most }: Pick<StoppingRule, "least" | "most">): number[] {
  const looks = [Math.min(least, most)];
  for (let last = looks[0]!; last < most; looks.push(last)) last = Math.min(most, Math.ceil(last * GROWTH));
  return looks;
}

/** Half of the confidence interval of the mean, as a part of the mean: 0 where all samples are 0, infinite for fewer than two samples or a mean of 0. */
export function relativeHalfWidth(samples: readonly number[], confidence: number): number {
  const { mean, halfWidth } = meanInterval(samples, confidence);
  if (halfWidth === undefined) return Number.POSITIVE_INFINITY;
  return halfWidth === 0 ? 0 : halfWidth / Math.abs(mean);
}

/**
 * The number of samples at which the rule stops, of one series or of several that are sampled together. `sample(series, n)` returns the
 * first n samples of a series, or undefined where they are not all known: then the result is the number of samples that must be known next.
 */
export function samplesWanted(
  rule: StoppingRule,
  series: number,
  sample: (series: number, count: number) => readonly number[] | undefined,
): { readonly count: number; readonly stops: boolean } {
  let small = 0;
  let count = 0;
  for (const look of looksOf(rule)) {
    count = look;
    let all = true;
    for (let one = 0; one < series; one++) {
      const samples = sample(one, count);
      if (samples === undefined) return { count, stops: false };
      all &&= relativeHalfWidth(samples, rule.confidence) <= rule.within;
    }
    small = all ? small + 1 : 0;
    if (small >= SMALL_LOOKS) break;
  }
  return { count, stops: true };
}

// The truncation MSER-5.

const BATCH = 5;

export interface Truncation {
  /** Number of samples that belong to the transient: a multiple of 5. */
  readonly samples: number;
  /** Whether the rule has found the end of the transient: not in the second half of the series, where the rest is too short to tell. */
  readonly settled: boolean;
}

/**
 * MSER-5: of the means of batches of five samples, leaves out as many of the first as make the standard error of the mean of the rest, the
 * sum of squared distances over the squared number, smallest. Where this takes more than half of the batches, half of them are left out and
 * the series counts as not settled. Fewer than ten batches: nothing is left out, and the series is not settled.
 */
export function mser5(series: readonly number[]): Truncation {
  const batches = Math.floor(series.length / BATCH);
  if (batches < 10) return { samples: 0, settled: false };
  const means = Array.from(
    { length: batches },
    (_, i) => momentsOf(series.slice(BATCH * i, BATCH * (i + 1))).mean,
  );
  // From the end: the moments of the batches from `from` on. The last five are too few for a variance that tells anything.
  const rest = momentsOf(means.slice(batches - BATCH));
  let best = { from: batches - BATCH, error: rest.populationVariance / rest.count };
  for (let from = batches - BATCH - 1; from >= 0; from--) {
    rest.add(means[from]!);
    const error = rest.populationVariance / rest.count;
    if (error <= best.error) best = { from, error };
  }
  const half = Math.floor(batches / 2);
  return { samples: BATCH * Math.min(best.from, half), settled: best.from <= half };
}
