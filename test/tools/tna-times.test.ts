/** tools/tna/times: which designs are timed, and what the last line says. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partsOf, summaryOf } from "../../tools/tna/times-rows.js";

describe("the designs that are timed", () => {
  it("are one of each part of the list, and parts are as long as one another", () => {
    expect(partsOf([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(partsOf([1, 2], 20)).toEqual([[1], [2]]);
    expect(partsOf([], 20)).toEqual([]);
    fc.assert(
      fc.property(fc.nat(200), fc.integer({ min: 1, max: 40 }), (length, count) => {
        const list = Array.from({ length }, (_, i) => i);
        const parts = partsOf(list, count);
        expect(parts).toHaveLength(Math.min(length, count));
        expect(new Set(parts.map((part) => part.length)).size).toBeLessThanOrEqual(1);
        expect(parts.flat()).toEqual(list.slice(0, parts.flat().length));
        // As long as can be: one more each would be more than there are.
        if (length >= count) expect(parts.flat().length).toBeGreaterThan(length - count);
      }),
    );
  });
});

describe("the last line", () => {
  it("has medians, the longest of each, and the median of the designs' own ratios", () => {
    const row = (ours: number, theirs: number, megabytes: number) => ({ ours, theirs, megabytes });
    // Ratios 10, 30 and 2: their median is 10, where the ratio of the medians would be 6 / 0.5.
    const rows = [row(0.5, 5, 200), row(0.2, 6, 90), row(4, 8, 310.4)];
    expect(summaryOf(rows)).toBe(
      "3 designs: fit 0.50 s (longest 4.00 s, 310 MB), compiler 6 s (longest 8 s), ratio 10",
    );
    expect(summaryOf([row(1, 3, 80), row(2, 4, 70)])).toBe(
      "2 designs: fit 2.00 s (longest 2.00 s, 80 MB), compiler 4 s (longest 4 s), ratio 3",
    );
    expect(summaryOf([])).toBe("0 designs");
  });
});
