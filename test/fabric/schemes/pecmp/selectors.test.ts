import { describe, expect, it } from "vitest";
import { bitsFor, offsetSet, repathLoad, ruleFor } from "../../../../src/fabric/schemes/pecmp/selectors.js";

const percent = (x: number) => Math.round(x * 1e4) / 100;
const load = (n: number, offsets: readonly number[]) => {
  const { obtained, belowOptimum, belowReachable } = repathLoad(n, offsets);
  return [n, percent(obtained), percent(belowOptimum), percent(belowReachable)];
};

describe("offsets (appendix C)", () => {
  it("are the odd numbers below the largest group", () => {
    expect(offsetSet("odd", 8)).toEqual({ rule: "odd", offsets: [1, 3, 5, 7], bits: 3 });
    expect(offsetSet("odd", 2)).toEqual({ rule: "odd", offsets: [1], bits: 1 });
    expect(offsetSet("odd", 64).bits).toBe(6);
  });

  it("or N1 - 1 primes above it", () => {
    expect(offsetSet("primes", 8)).toEqual({ rule: "primes", offsets: [11, 13, 17, 19, 23, 29], bits: 5 });
    expect(offsetSet("primes", 4)).toEqual({ rule: "primes", offsets: [5, 7], bits: 3 });
    expect(offsetSet("primes", 2).offsets).toEqual([3]);
  });

  it("never lead back: no prime above N is a multiple of a group size up to N", () => {
    for (let largest = 2; largest <= 40; largest++) {
      for (const offset of offsetSet("primes", largest).offsets) {
        const multiples = Array.from({ length: largest - 1 }, (_, i) => i + 2).filter(
          (n) => offset % n === 0,
        );
        expect(multiples).toEqual([]);
      }
    }
  });

  it("are odd where all groups are powers of two", () => {
    expect(ruleFor([2, 8, 64])).toBe("odd");
    expect(ruleFor([2, 6])).toBe("primes");
    expect(ruleFor([3])).toBe("primes");
  });

  it("need ceil(log2) bits", () => {
    expect([1, 2, 3, 4, 5, 8, 9, 128].map(bitsFor)).toEqual([0, 1, 2, 2, 3, 3, 4, 7]);
  });
});

describe("load after a re-path", () => {
  it("reproduces table 6", () => {
    const { offsets } = offsetSet("primes", 4);
    expect([2, 3, 4].map((n) => load(n, offsets))).toEqual([
      [2, 50, 0, 0],
      [3, 66.67, 0, 0],
      [4, 66.67, 8.33, 0],
    ]);
  });

  it("reproduces table 7", () => {
    const { offsets } = offsetSet("primes", 8);
    expect([2, 3, 4, 5, 6, 7, 8].map((n) => load(n, offsets))).toEqual([
      [2, 50, 0, 0],
      [3, 60, 6.67, 6.67],
      [4, 66.67, 8.33, 0],
      [5, 75, 5, 5],
      [6, 60, 23.33, 6.67],
      [7, 85.71, 0, 0],
      [8, 75, 12.5, 5],
    ]);
  });
});
