import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../src/base/index.js";
import {
  ascending,
  cdfPoints,
  mean,
  quantile,
  summarise,
} from "../../src/experiment/kinds/failover/statistics.js";
import { timeOfTry } from "../../src/experiment/kinds/failover/theory.js";
import { expectedTries, successProbability, triesAtQuantile } from "../../src/schemes/index.js";

const samples = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(Number.POSITIVE_INFINITY)), {
  minLength: 1,
  maxLength: 300,
});

describe("quantiles", () => {
  it("are the least sample that enough samples do not exceed", () => {
    fc.assert(
      fc.property(samples, fc.double({ min: 0.001, max: 1, noNaN: true }), (list, fraction) => {
        const value = quantile(ascending(list), fraction);
        const atMost = (x: number) => list.filter((sample) => sample <= x).length / list.length;
        expect(list).toContain(value);
        expect(atMost(value)).toBeGreaterThanOrEqual(fraction - 1e-9);
        for (const smaller of list.filter((sample) => sample < value))
          expect(atMost(smaller)).toBeLessThan(fraction);
      }),
    );
  });

  it("are Infinity where too many never recover", () => {
    const never = Number.POSITIVE_INFINITY;
    expect(summarise([6, never, 6, 6])).toEqual({ count: 4, p50: 6, p95: never, p99: never, max: never });
    expect(mean([1, 2, 6])).toBe(3);
  });
});

describe("distribution points", () => {
  it("are a staircase that ends at the share of finite samples", () => {
    fc.assert(
      fc.property(samples, (list) => {
        const points = cdfPoints(list, 20);
        const finite = list.filter(Number.isFinite);
        expect(points.length).toBeLessThanOrEqual(23);
        for (const { x, fraction } of points)
          expect(fraction).toBeCloseTo(list.filter((sample) => sample <= x).length / list.length, 12);
        if (finite.length > 0) {
          expect(points.at(-1)!.fraction).toBeCloseTo(finite.length / list.length, 12);
          expect(points[0]!.x).toBe(Math.min(...finite));
        } else expect(points).toEqual([]);
      }),
    );
  });
});

describe("closed forms", () => {
  it("give the numbers of P-ECMP's equation (1)", () => {
    expect([2, 4, 8, 64].map((n) => Number(expectedTries(n).toFixed(2)))).toEqual([4, 1.78, 1.31, 1.03]);
    expect(1 - successProbability(64)).toBeCloseTo(0.031, 3);
  });

  it("give figure 7a's and 7b's instants", () => {
    expect([1, 2, 3, 4].map((tries) => timeOfTry(tries, 6, 1000))).toEqual([6, 18, 42, 90]);
    expect(timeOfTry(triesAtQuantile(2, 0.5), 6, 1000)).toBe(42);
    expect(timeOfTry(triesAtQuantile(2, 0.95), 6, 1000)).toBe(4530);
    expect(timeOfTry(triesAtQuantile(4, 0.5), 6, 1000)).toBe(6);
    expect(timeOfTry(triesAtQuantile(4, 0.95), 6, 1000)).toBe(90);
  });

  it("know the certain and the hopeless", () => {
    expect(triesAtQuantile(1, 0.5)).toBe(Number.POSITIVE_INFINITY);
    expect(timeOfTry(Number.POSITIVE_INFINITY, 6, 1000)).toBe(Number.POSITIVE_INFINITY);
    expect(triesAtQuantile(1e9, 0.5)).toBe(1);
  });

  it("agree with drawing", () => {
    const random = new Random(11);
    const n = 4;
    const draws = Array.from({ length: 40_000 }, () => {
      let tries = 1;
      while (random.int(n) === 0 || random.int(n) === 0) tries++;
      return tries;
    });
    expect(mean(draws)).toBeCloseTo(expectedTries(n), 1);
    expect(quantile(ascending(draws), 0.95)).toBe(triesAtQuantile(n, 0.95));
  });
});
