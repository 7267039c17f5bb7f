/** Means, intervals, evenness and paired tests against closed forms, tables and other ways to compute them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import {
  coefficientOfVariation,
  Moments,
  maxOverMean,
  meanInterval,
  pairedTTest,
  signFlipTest,
  wilcoxonTest,
} from "../../../src/fabric/statistics/index.js";
import { momentsOf } from "../../../src/fabric/statistics/moments.js";
import { studentQuantile, studentTail } from "../../../src/fabric/statistics/paired-tests.js";
import { jainIndex } from "../../../src/fabric/statistics/samples.js";

const numbers = (minLength: number) =>
  fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength, maxLength: 60 });

describe("mean and variance of a stream", () => {
  it("are those of the list, also of two merged parts", () => {
    fc.assert(
      fc.property(numbers(2), fc.nat(60), (list, cut) => {
        const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
        const variance = list.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (list.length - 1);
        const merged: Moments = momentsOf(list.slice(0, cut));
        merged.merge(momentsOf(list.slice(cut)));
        const read = Moments.fromJson(JSON.parse(JSON.stringify(merged.toJson())));
        for (const moments of [momentsOf(list), merged, read]) {
          expect(moments.count).toBe(list.length);
          expect(Math.abs(moments.mean - mean)).toBeLessThan(1e-6);
          expect(Math.abs(moments.variance - variance)).toBeLessThan(1e-9 * variance + 1e-6);
        }
      }),
    );
    expect([new Moments().mean, momentsOf([1]).variance]).toEqual([NaN, NaN]);
  });
});

describe("Student's distribution", () => {
  // 97.5 % points of the usual tables.
  it.each([
    [1, 12.7062],
    [2, 4.30265],
    [4, 2.77645],
    [9, 2.26216],
    [30, 2.04227],
    [1000, 1.96234],
  ])("has the known quantile at %s degrees of freedom", (freedom, t) => {
    expect(studentQuantile(0.05, freedom)).toBeCloseTo(t, 4);
    expect(studentTail(studentQuantile(0.05, freedom), freedom)).toBeCloseTo(0.05, 12);
  });

  it("is Cauchy's at one degree of freedom, and algebraic at two", () => {
    for (const t of [0, 0.1, 1, 3, 100]) {
      expect(studentTail(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 12);
      expect(studentTail(t, 2)).toBeCloseTo(1 - t / Math.sqrt(2 + t * t), 12);
    }
  });

  it("gives intervals that hold the mean in 95 % of cases", () => {
    const random = new Random(5);
    const normal = () =>
      Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());
    let held = 0;
    for (let i = 0; i < 4000; i++) {
      const { mean, halfWidth } = meanInterval([normal(), normal(), normal(), normal(), normal()]);
      if (Math.abs(mean) <= halfWidth!) held++;
    }
    expect(held / 4000).toBeGreaterThan(0.94);
    expect(held / 4000).toBeLessThan(0.96);
  });

  it("gives the intervals of the tables, and none for one sample", () => {
    expect(meanInterval([3])).toEqual({ mean: 3, halfWidth: undefined });
    expect(meanInterval([1, 2, 3]).halfWidth).toBeCloseTo(4.30265 / Math.sqrt(3), 4);
    expect(meanInterval([1, 2, 3], 0.9).halfWidth).toBeCloseTo(2.91999 / Math.sqrt(3), 4);
    expect(meanInterval([5, 5, 5])).toEqual({ mean: 5, halfWidth: 0 });
  });
});

describe("evenness", () => {
  it("has its known ends", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0.1, max: 1e6, noNaN: true }), (n, x) => {
        expect(jainIndex(new Array(n).fill(x))).toBeCloseTo(1, 12);
        expect(jainIndex([x, ...new Array(n - 1).fill(0)])).toBeCloseTo(1 / n, 12);
        expect(coefficientOfVariation(new Array(n).fill(x))).toBeCloseTo(0, 6);
        expect(coefficientOfVariation([x, ...new Array(n - 1).fill(0)])).toBeCloseTo(Math.sqrt(n - 1), 9);
        expect(maxOverMean([x, ...new Array(n - 1).fill(0)])).toBeCloseTo(n, 9);
      }),
    );
    expect([jainIndex([]), coefficientOfVariation([]), maxOverMean([])]).toEqual([NaN, NaN, NaN]);
    expect([jainIndex([0, 0]), coefficientOfVariation([0, 0]), maxOverMean([0, 0])]).toEqual([1, 0, 1]);
  });

  it("is linked by a closed form: Jain's index = 1 / (1 + CV^2)", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 40 }),
        (list) => {
          expect(jainIndex(list)).toBeCloseTo(1 / (1 + coefficientOfVariation(list) ** 2), 9);
        },
      ),
    );
  });
});

describe("paired tests", () => {
  const random = () => new Random(1);

  it("know examples of the literature", () => {
    // Darwin's maize (Fisher, The Design of Experiments, sections 17 and 21): t = 2.148 at 14 degrees of freedom, 863 of 32,768 each side.
    const differences = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    const zeros = differences.map(() => 0);
    expect(pairedTTest(zeros, differences).p).toBeCloseTo(0.0497, 4);
    expect(signFlipTest(zeros, differences, random()).p).toBeCloseTo((2 * 863) / 32_768, 12);
    expect(wilcoxonTest(zeros, differences).p).toBeCloseTo(0.04126, 4);
    expect(pairedTTest(zeros, differences).difference).toBeCloseTo(20.933, 3);
    expect(wilcoxonTest(zeros, differences).difference).toBe(24);
  });

  it("have their least p where all differences have one sign: 2^(1 - n)", () => {
    for (const n of [1, 3, 5, 10]) {
      const second = Array.from({ length: n }, (_, i) => i + 1.5);
      const first = second.map(() => 0);
      expect(signFlipTest(first, second, random()).p).toBeCloseTo(2 ** (1 - n), 12);
      expect(wilcoxonTest(first, second).p).toBeCloseTo(2 ** (1 - n), 12);
    }
  });

  it("are symmetric, and find nothing where nothing differs", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), {
          minLength: 2,
          maxLength: 9,
        }),
        (pairs) => {
          const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
          for (const test of [
            pairedTTest,
            wilcoxonTest,
            (x: number[], y: number[]) => signFlipTest(x, y, random()),
          ]) {
            const [there, back] = [test(a, b), test(b, a)];
            expect(there.p).toBeCloseTo(back.p, 12);
            expect(there.difference).toBeCloseTo(-back.difference, 12);
            expect(there.p).toBeGreaterThanOrEqual(0);
            expect(there.p).toBeLessThanOrEqual(1);
            expect(test(a, a)).toEqual({ difference: 0, p: 1 });
          }
        },
      ),
    );
  });

  it("count ranks as an enumeration of all signs does", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 8 }),
        (differences) => {
          const sizes = differences.filter((d) => d !== 0).map(Math.abs);
          if (sizes.length === 0) return;
          const rank = (size: number) =>
            sizes.filter((one) => one < size).length + (sizes.filter((one) => one === size).length + 1) / 2;
          const total = sizes.reduce((sum, size) => sum + rank(size), 0);
          const observed = differences.filter((d) => d > 0).reduce((sum, d) => sum + rank(d), 0);
          const distance = Math.abs(observed - total / 2);
          let extreme = 0;
          for (let signs = 0; signs < 2 ** sizes.length; signs++) {
            const sum = sizes.reduce((part, size, i) => part + ((signs >> i) & 1 ? rank(size) : 0), 0);
            if (Math.abs(sum - total / 2) >= distance) extreme++;
          }
          const { p } = wilcoxonTest(
            differences.map(() => 0),
            differences,
          );
          expect(p).toBeCloseTo(Math.min(1, extreme / 2 ** sizes.length), 12);
        },
      ),
    );
  });

  it("are certain where all pairs differ by the same, and know nothing without pairs", () => {
    expect(pairedTTest([1, 2, 3], [3, 4, 5])).toEqual({ difference: 2, p: 0 });
    expect(pairedTTest([1, 2, 3], [1, 2, 3])).toEqual({ difference: 0, p: 1 });
    expect(signFlipTest([], [], random()).p).toBeNaN();
    expect(wilcoxonTest([], []).p).toBeNaN();
  });

  it("count the pairs that do not differ in the mean, and not in the signs", () => {
    // Of the three that differ, one assignment of eight and its opposite are as far from 0.
    const differences = [1, 0, 2, 0, 3];
    const zeros = differences.map(() => 0);
    expect(signFlipTest(zeros, differences, random())).toEqual({ difference: 1.2, p: 0.25 });
    expect(wilcoxonTest(zeros, differences)).toEqual({ difference: 1, p: 0.25 });
  });

  it("draw signs where there are too many pairs to count all", () => {
    const draw = new Random(9);
    const second = Array.from({ length: 40 }, () => draw.float() - 0.4);
    const first = second.map(() => 0);
    const [drawn, normal] = [signFlipTest(first, second, random()).p, pairedTTest(first, second).p];
    expect(Math.abs(drawn - normal)).toBeLessThan(0.02);
    expect(signFlipTest(first, second, random()).p).toBe(drawn);
  });

  it("have no p of 0 by drawing: the observed signs are one of the cases", () => {
    const second = Array.from({ length: 60 }, (_, i) => 100 + i);
    const first = second.map(() => 0);
    expect(signFlipTest(first, second, random()).p).toBe(1 / 100_001);
  });

  it("refuse lists of different lengths", () => {
    expect(() => pairedTTest([1], [1, 2])).toThrow("1 and 2 samples are no pairs");
  });
});
