/** Cuts of a header's bytes for containers: they cover all bytes, and follow the compiler's preferences. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutBytes } from "../../../src/toolchain/fit/phv/cuts.js";
import { runs } from "../../fuzz-seed.js";

/** A header of values with these bytes each; `touched` names the values that tables use. */
function shape(widths: readonly number[], touched: readonly number[]) {
  const starts = widths.map((_, i) => widths.slice(0, i).reduce((sum, one) => sum + one, 0));
  const ownerOf = (byte: number) => starts.findLastIndex((start) => start <= byte);
  return {
    isBoundary: (byte: number) => starts.includes(byte),
    isInside: (byte: number) => !starts.includes(byte) && widths[ownerOf(byte)]! <= 4,
    isTouched: (byte: number) => touched.includes(ownerOf(byte)),
  };
}
const bytes = (widths: readonly number[]) => ({ from: 0, to: widths.reduce((sum, one) => sum + one, 0) });
const lengths = (widths: readonly number[], touched: readonly number[]) =>
  cutBytes(bytes(widths), shape(widths, touched)).map(
    ({ from, to, isTouched }) => `${to - from}${isTouched ? "*" : ""}`,
  );

describe("cuts of a header", () => {
  it("cover each byte once, in pieces of 1, 2 and 4", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 10 }),
        fc.array(fc.nat(9), { maxLength: 6 }),
        (widths, touched) => {
          const cuts = cutBytes(bytes(widths), shape(widths, touched));
          expect(cuts[0]!.from).toBe(0);
          expect(cuts.at(-1)!.to).toBe(bytes(widths).to);
          for (const [i, { from, to }] of cuts.entries()) {
            expect([1, 2, 4]).toContain(to - from);
            if (i > 0) expect(from).toBe(cuts[i - 1]!.to);
          }
        },
      ),
      runs(50),
    );
  });

  it("never put a byte that no table touches beside a touched one of another value", () => {
    expect(lengths([1, 1, 2], [0])).toEqual(["1*", "1", "2"]);
    expect(lengths([2, 2], [1])).toEqual(["2", "2*"]);
    expect(lengths([2, 2], [0, 1])).toEqual(["4*"]);
  });

  it("begin at the end: two addresses of 6 bytes and a type of 2", () => {
    expect(lengths([6, 6, 2], [0, 1, 2])).toEqual(["2*", "4*", "2*", "4*", "2*"]);
    expect(lengths([6, 6, 2], [2])).toEqual(["2", "4", "2", "4", "2*"]);
  });

  it("part a value of at most 4 bytes only where they must", () => {
    // Without a look ahead, 3 bytes of the long value and one of the next would share a container.
    expect(lengths([4, 4, 19], [0, 1, 2])).toEqual(["4*", "4*", "1*", "2*", "4*", "4*", "4*", "4*"]);
    // A single value of 3 bytes has no container of its own size.
    expect(lengths([3], [0])).toEqual(["1*", "2*"]);
  });
});
