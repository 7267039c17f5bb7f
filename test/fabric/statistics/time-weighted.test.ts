/** Figures over time: against the same quantity read at every nanosecond. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ascending,
  quantile,
  TimeWeighted,
  TimeWeightedRecorder,
} from "../../../src/fabric/statistics/index.js";
import { WHOLE_RELATIVE_ERROR } from "../../../src/fabric/statistics/sketch.js";

/** Value and the nanoseconds for which it lasts. */
const steps = fc.array(
  fc.tuple(
    fc.oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 2 ** 31 - 1 })),
    fc.integer({ min: 0, max: 20 }),
  ),
  { minLength: 1, maxLength: 40 },
);

function record(list: readonly (readonly [number, number])[]): TimeWeighted {
  const recorder = new TimeWeightedRecorder(1000);
  let now = 1000;
  for (const [value, ns] of list) {
    recorder.set(now, value);
    now += ns;
  }
  return recorder.take(now);
}

const readings = (list: readonly (readonly [number, number])[]) =>
  list.flatMap(([value, ns]) => new Array<number>(ns).fill(value));

describe("a quantity over time", () => {
  it("has the mean, maximum and quantiles of its readings at every nanosecond", () => {
    fc.assert(
      fc.property(steps, fc.double({ min: 0.01, max: 1, noNaN: true }), (list, at) => {
        const all = readings(list);
        const times = record(list);
        expect(times.duration).toBe(all.length);
        fc.pre(all.length > 0);
        expect(times.max).toBe(Math.max(...all));
        expect(times.mean).toBeCloseTo(all.reduce((sum, value) => sum + value, 0) / all.length, 3);
        const exact = quantile(ascending(all), at);
        const error = exact < 256 ? 0 : exact * WHOLE_RELATIVE_ERROR;
        expect(Math.abs(times.quantile(at) - exact)).toBeLessThanOrEqual(error);
      }),
    );
  });

  it("is the same whether it is recorded in one piece, or in two that are merged", () => {
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const merged = record(first);
        merged.merge(record(second));
        expect(merged.toJson()).toEqual(record([...first, ...second]).toJson());
        expect(TimeWeighted.fromJson(JSON.parse(JSON.stringify(merged.toJson()))).toJson()).toEqual(
          merged.toJson(),
        );
      }),
    );
  });

  it("has no figures of no time", () => {
    const times = record([[5, 0]]);
    expect([times.quantile(0.5), times.mean, times.max]).toEqual([NaN, NaN, 0]);
  });

  it("begins a window with the value that it has then", () => {
    const recorder = new TimeWeightedRecorder(0);
    recorder.set(0, 7);
    recorder.set(10, 3);
    expect(recorder.take(20).mean).toBe(5);
    expect(recorder.take(25).toJson()).toEqual({ integral: 15, max: 3, buckets: [3, 5] });
  });
});
