/** The stopping rule by the coverage of its intervals on known distributions (docs/load.md), and MSER-5 against its definition and known transients. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import {
  looksOf,
  meanInterval,
  mser5,
  relativeHalfWidth,
  type StoppingRule,
  samplesWanted,
} from "../../../src/fabric/statistics/index.js";

const TRIALS = 2000;

const uniform = (random: Random) => (random.uint32() + 0.5) / 2 ** 32;
/** Box and Muller (1958). */
const normal = (random: Random) =>
  Math.sqrt(-2 * Math.log(uniform(random))) * Math.cos(2 * Math.PI * uniform(random));

/** Positive distributions of mean 1 and this coefficient of variation. */
const DISTRIBUTIONS: Readonly<Record<string, (random: Random, cv: number) => number>> = {
  normal: (random, cv) => 1 + cv * normal(random),
  lognormal: (random, cv) => {
    const sigma = Math.sqrt(Math.log(1 + cv * cv));
    return Math.exp(sigma * normal(random) - (sigma * sigma) / 2);
  },
  // A sum of 1 / cv^2 exponential times: Erlang's distribution.
  erlang: (random, cv) => {
    const stages = Math.round(1 / (cv * cv));
    let sum = 0;
    for (let i = 0; i < stages; i++) sum -= Math.log(uniform(random));
    return sum / stages;
  },
};

/** Share of the trials whose interval holds the mean, in percent; and the mean number of samples. */
function coverage(
  draw: (random: Random) => number,
  rule: StoppingRule,
): { readonly percent: number; readonly samples: number } {
  const random = new Random("coverage");
  let [held, drawn] = [0, 0];
  for (let trial = 0; trial < TRIALS; trial++) {
    const all: number[] = [];
    const { count } = samplesWanted(rule, 1, (_, n) => {
      while (all.length < n) all.push(draw(random));
      return all.slice(0, n);
    });
    const { mean, halfWidth } = meanInterval(all.slice(0, count), rule.confidence);
    if (Math.abs(mean - 1) <= halfWidth!) held++;
    drawn += count;
  }
  return { percent: (100 * held) / TRIALS, samples: drawn / TRIALS };
}

describe("the interval of the mean", () => {
  it.each(Object.keys(DISTRIBUTIONS))("covers the mean of a fixed number of samples, %s", (name) => {
    for (const samples of [10, 30]) {
      const rule = { confidence: 0.95, within: 1e-9, least: samples, most: samples };
      const { percent } = coverage((random) => DISTRIBUTIONS[name]!(random, 0.2), rule);
      expect(percent).toBeGreaterThanOrEqual(93);
      expect(percent).toBeLessThanOrEqual(97);
    }
  });
});

describe("the stopping rule", () => {
  const rule = { confidence: 0.95, within: 0.05, least: 10, most: 400 };

  it.each(Object.keys(DISTRIBUTIONS))(
    "keeps the nominal level between 93 and 97 of 100 trials: %s",
    (name) => {
      for (const cv of [0.05, 0.1, 0.2]) {
        const { percent, samples } = coverage((random) => DISTRIBUTIONS[name]!(random, cv), rule);
        expect(percent).toBeGreaterThanOrEqual(93);
        expect(percent).toBeLessThanOrEqual(97);
        // z^2 cv^2 / within^2 samples are needed for a known variance; the two looks take at most two steps of a quarter more.
        const needed = Math.max(10, (1.96 * cv) ** 2 / 0.05 ** 2);
        expect(samples).toBeGreaterThan(0.95 * needed);
        expect(samples).toBeLessThan(1.25 * 1.25 * needed + 6);
      }
    },
  );

  it("would cover less if it stopped at the first small interval from five samples on", () => {
    const random = new Random("first look");
    let held = 0;
    for (let trial = 0; trial < TRIALS; trial++) {
      const all: number[] = [];
      while (all.length < 5 || relativeHalfWidth(all, 0.95) > 0.05) all.push(1 + 0.1 * normal(random));
      const { mean, halfWidth } = meanInterval(all);
      if (Math.abs(mean - 1) <= halfWidth!) held++;
    }
    expect((100 * held) / TRIALS).toBeLessThan(93);
  });

  it("stops where the interval of every series is small at two looks in a row, or at the last look", () => {
    // Half of the interval of n samples 1 - d, 1 + d, 1 - d ... is about t d / sqrt(n).
    const alternating = (d: number) => (count: number) =>
      Array.from({ length: count }, (_, i) => 1 + (i % 2 === 0 ? -d : d));
    const wanted = (...spreads: number[]) =>
      samplesWanted({ ...rule, most: 50 }, spreads.length, (one, n) => alternating(spreads[one]!)(n));
    const looks = looksOf({ least: 10, most: 50 });
    expect(looks).toEqual([10, 13, 17, 22, 28, 35, 44, 50]);
    expect(wanted(0)).toEqual({ count: 13, stops: true });
    expect(wanted(0.05, 0)).toEqual({ count: 13, stops: true });
    expect(wanted(0, 0.1)).toEqual({ count: 28, stops: true });
    expect(wanted(0.1, 10)).toEqual({ count: 50, stops: true });
    expect(samplesWanted(rule, 1, (_, n) => (n > 10 ? undefined : alternating(1)(n)))).toEqual({
      count: 13,
      stops: false,
    });
  });

  it("has a first look, ascends, and ends at the most", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 500 }), fc.nat(2000), (least, more) => {
        const looks = looksOf({ least, most: least + more });
        expect([looks[0], looks.at(-1)]).toEqual([least, least + more]);
        expect(looks.every((look, i) => i === 0 || look > looks[i - 1]!)).toBe(true);
      }),
    );
  });

  it("takes the width in closed form, and none of a single sample", () => {
    // Of 1 and 3: mean 2, variance 2, standard error 1, t of one degree of freedom 12.7062.
    expect(relativeHalfWidth([1, 3], 0.95)).toBeCloseTo(12.7062 / 2, 4);
    expect(relativeHalfWidth([-1, -3], 0.95)).toBeCloseTo(12.7062 / 2, 4);
    expect([relativeHalfWidth([2], 0.95), relativeHalfWidth([-1, 1], 0.95)]).toEqual([Infinity, Infinity]);
    expect(relativeHalfWidth([0, 0], 0.95)).toBe(0);
  });
});

describe("MSER-5", () => {
  /** By the definition, in quadratic time. */
  function defined(series: readonly number[]): number {
    const means = Array.from(
      { length: Math.floor(series.length / 5) },
      (_, i) => series.slice(5 * i, 5 * i + 5).reduce((a, b) => a + b) / 5,
    );
    let best = { from: 0, error: Number.POSITIVE_INFINITY };
    for (let from = 0; from <= means.length - 5; from++) {
      const rest = means.slice(from);
      const mean = rest.reduce((a, b) => a + b) / rest.length;
      const error = rest.reduce((sum, one) => sum + (one - mean) ** 2, 0) / rest.length ** 2;
      if (error < best.error) best = { from, error };
    }
    return best.from;
  }

  it("is what its definition says", () => {
    const sample = fc.integer({ min: 0, max: 1_000_000 }).map((value) => value / 997);
    fc.assert(
      fc.property(fc.array(sample, { minLength: 50, maxLength: 300 }), (series) => {
        const from = defined(series);
        const half = Math.floor(Math.floor(series.length / 5) / 2);
        expect(mser5(series)).toEqual({ samples: 5 * Math.min(from, half), settled: from <= half });
      }),
    );
  });

  it("cuts a step where it is, and nothing of a constant series", () => {
    const step = Array.from({ length: 500 }, (_, i) => (i < 100 ? 0 : 10 + (i % 5)));
    expect(mser5(step)).toEqual({ samples: 100, settled: true });
    expect(mser5(new Array(200).fill(3))).toEqual({ samples: 0, settled: true });
  });

  it("takes the bias of an exponential transient out of the mean", () => {
    // X = 1 - exp(-i / 50) + noise: the mean of 1,000 samples is biased by 5 %.
    const errors = { whole: 0, rest: 0 };
    const TIMES = 200;
    const random = new Random("transient");
    for (let time = 0; time < TIMES; time++) {
      const series = Array.from({ length: 1000 }, (_, i) => 1 - Math.exp(-i / 50) + 0.2 * normal(random));
      const { samples, settled } = mser5(series);
      const mean = (list: readonly number[]) => list.reduce((a, b) => a + b) / list.length;
      expect(settled).toBe(true);
      errors.whole += (1 - mean(series)) / TIMES;
      errors.rest += (1 - mean(series.slice(samples))) / TIMES;
    }
    expect(errors.whole).toBeGreaterThan(0.045);
    expect(Math.abs(errors.rest)).toBeLessThan(0.01);
  });

  it("says that a series that still grows has not settled, and one that is too short", () => {
    expect(mser5(Array.from({ length: 500 }, (_, i) => i))).toEqual({ samples: 250, settled: false });
    expect(mser5(new Array(49).fill(1))).toEqual({ samples: 0, settled: false });
  });
});
