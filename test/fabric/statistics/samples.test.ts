/** Order statistics and distributions of samples that are kept, infinite ones among them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ascending, cdfPoints, mean, quantile, summarise } from "../../../src/fabric/statistics/index.js";

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

it("several infinite samples are the last ones", () => {
  const infinite = Number.POSITIVE_INFINITY;
  expect(ascending([infinite, 3, infinite, 1, infinite, 2])).toEqual([1, 2, 3, infinite, infinite, infinite]);
});
