/** Quantiles in little memory: what a sketch says against the samples themselves. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import { ascending, QuantileSketch, quantile } from "../../../src/fabric/statistics/index.js";
import { RELATIVE_ERROR } from "../../../src/fabric/statistics/sketch.js";

const value = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 1, max: 2 ** 52 }),
  fc.double({ min: 1e-9, max: 1e12, noNaN: true }),
);
const values = fc.array(value, { minLength: 1, maxLength: 200 });
const fraction = fc.double({ min: 0.001, max: 1, noNaN: true });

function sketchOf(samples: readonly number[], limit: number): QuantileSketch {
  const sketch = new QuantileSketch(limit);
  for (const sample of samples) sketch.add(sample);
  return sketch;
}

/** Without the sum, whose rounding depends on the order. */
function contents(sketch: QuantileSketch) {
  return { ...sketch.toJson(), sum: 0 };
}

describe("a sketch of quantiles", () => {
  it("is exact while samples are few, and within its relative error when they are many", () => {
    fc.assert(
      fc.property(values, fraction, fc.integer({ min: 1, max: 250 }), (samples, at, limit) => {
        const sketch = sketchOf(samples, limit);
        const exact = quantile(ascending(samples), at);
        expect(sketch.exact).toBe(samples.length <= limit);
        if (sketch.exact) expect(sketch.quantile(at)).toBe(exact);
        else expect(Math.abs(sketch.quantile(at) - exact)).toBeLessThanOrEqual(exact * RELATIVE_ERROR);
        expect(sketch.count).toBe(samples.length);
        expect([sketch.min, sketch.max]).toEqual([Math.min(...samples), Math.max(...samples)]);
        const mean = samples.reduce((sum, one) => sum + one, 0) / samples.length;
        expect(Math.abs(sketch.mean - mean)).toBeLessThanOrEqual(1e-12 * mean);
      }),
    );
  });

  it("holds the same whatever the order of samples and of merging", () => {
    fc.assert(
      fc.property(
        fc.array(values, { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 1, max: 500 }),
        ([a, b, c], limit) => {
          const [x, y, z] = [a!, b!, c!].map((samples) => sketchOf(samples, limit)) as [
            QuantileSketch,
            QuantileSketch,
            QuantileSketch,
          ];
          const all = [...c!, ...a!, ...b!];
          const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
          expect(Math.abs(x.merged(y).merged(z).mean - mean)).toBeLessThanOrEqual(1e-12 * mean);
          const whole = contents(sketchOf(all, limit));
          expect(contents(x.merged(y).merged(z))).toEqual(whole);
          expect(contents(z.merged(y.merged(x)))).toEqual(whole);
        },
      ),
    );
  });

  it("has the smaller limit of two sketches after they are merged, from either side", () => {
    fc.assert(
      fc.property(
        values,
        values,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 300 }),
        (a, b, one, other) => {
          const merged = sketchOf(a, one).merged(sketchOf(b, other));
          expect(merged.limit).toBe(Math.min(one, other));
          expect(contents(merged)).toEqual(contents(sketchOf([...a, ...b], Math.min(one, other))));
        },
      ),
    );
  });

  it("comes back from JSON as it was", () => {
    fc.assert(
      fc.property(values, fraction, fc.integer({ min: 1, max: 250 }), (samples, at, limit) => {
        const sketch = sketchOf(samples, limit);
        const back = QuantileSketch.fromJson(JSON.parse(JSON.stringify(sketch.toJson())));
        expect(back.toJson()).toEqual(sketch.toJson());
        expect(back.quantile(at)).toBe(sketch.quantile(at));
        expect(back.mean).toBe(sketch.mean);
      }),
    );
    const empty = QuantileSketch.fromJson(JSON.parse(JSON.stringify(new QuantileSketch().toJson())));
    expect([empty.count, empty.quantile(0.5), empty.mean, empty.min]).toEqual([0, NaN, NaN, NaN]);
  });

  it("has a distribution that ascends to 1, with no more points than asked for", () => {
    const random = new Random(1);
    const samples = Array.from({ length: 20_000 }, () => random.exponential(1e6));
    for (const limit of [100, 1e6]) {
      const points = sketchOf(samples, limit).cdf(50);
      expect(points.length).toBeLessThanOrEqual(53);
      expect(points.at(-1)!.fraction).toBe(1);
      for (const [i, { x, fraction: share }] of points.entries()) {
        if (i > 0) expect(x).toBeGreaterThan(points[i - 1]!.x);
        const exact = 1 - Math.exp(-x / 1e6);
        expect(Math.abs(share - exact)).toBeLessThan(0.02);
      }
    }
  });

  it("stays small however many samples it counts", () => {
    const random = new Random(2);
    const sketch = new QuantileSketch(100);
    for (let i = 0; i < 200_000; i++) sketch.add(random.exponential(1e7) * (1 + random.int(1000)));
    expect(JSON.stringify(sketch.toJson()).length).toBeLessThan(300_000);
    expect(sketch.toJson().buckets!.length / 2).toBeLessThan(40 * 1024);
  });

  it.each([-1, NaN, Number.POSITIVE_INFINITY])("refuses %s", (wrong) => {
    expect(() => new QuantileSketch().add(wrong)).toThrow(RangeError);
  });
});
