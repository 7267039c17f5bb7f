/** The search for the largest size that fits. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { largestSize } from "../../../src/toolchain/fit/place/largest-size.js";

const sizes = { most: fc.integer({ min: 1, max: 100_000 }), more: fc.integer({ min: 1, max: 100_000 }) };

it("is a size that fits, and short of the largest by less than the precision", () => {
  fc.assert(
    fc.property(fc.record(sizes), ({ most, more }) => {
      const high = most + more;
      const found = largestSize(1, high, (size) => size <= most, 16);
      expect(found).toBeLessThanOrEqual(most);
      expect(most - found).toBeLessThan(Math.max(1, found / 16));
      const scaled = largestSize(1, high, (size) => size <= most, 32, high);
      expect(scaled).toBeLessThanOrEqual(most);
      expect(most - scaled).toBeLessThan(Math.max(1, high / 32));
    }),
  );
});

it("asks for no size that is known already", () => {
  const asked: number[] = [];
  largestSize(4, 8, (size) => asked.push(size) > 0, 16);
  expect(asked).toEqual([6, 7]);
});
