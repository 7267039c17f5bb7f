/** Slots of groups against the paper's examples, its formula of section 4.2, and theorem 2. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  areCoprime,
  bestSize,
  partWeights,
  slotsOf,
  unevenness,
} from "../../../src/schemes/hashing/groups.js";

const equal = (ports: number) => Array<number>(ports).fill(1);

describe("groups with a size of their own", () => {
  it("are as uneven as section 4.2 says: m = 8 at 9, 17, 33, 57 and 73", () => {
    const cv = [9, 17, 33, 57, 73].map((size) => unevenness(equal(8), slotsOf(equal(8), size, "split")));
    expect(cv.map((value) => Number(value.toFixed(3)))).toEqual([0.294, 0.156, 0.08, 0.046, 0.036]);
  });

  it("have the weights of figure 12: naive 6 and 1, split 5 and 2", () => {
    const count = (slots: readonly number[]) =>
      [0, 1].map((hop) => slots.filter((own) => own === hop).length);
    expect(count(slotsOf([3, 1], 7, "naive"))).toEqual([6, 1]);
    expect(count(slotsOf([3, 1], 7, "split"))).toEqual([5, 2]);
    expect(unevenness([3, 1], slotsOf([3, 1], 7, "naive"))).toBeCloseTo(1 / 3, 12);
    expect(unevenness([3, 1], slotsOf([3, 1], 7, "split"))).toBeCloseTo(1 / 11, 12);
    const half = partWeights([2, 1], 8);
    expect(half).toEqual([2, 2, 2, 2, 1, 1, 1, 1]);
    expect(unevenness(half, slotsOf(half, 57, "naive"))).toBeCloseTo(0.105, 3);
    expect(unevenness(half, slotsOf(half, 57, "split"))).toBeCloseTo(0.05, 3);
  });

  it("are exact where the size is a multiple of the weights, and never lack a next hop", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        weights,
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom("naive" as const, "split" as const),
        (own, times, how) => {
          const total = own.reduce((sum, weight) => sum + weight, 0);
          expect(unevenness(own, slotsOf(own, times * total, how))).toBeCloseTo(0, 12);
          expect(new Set(slotsOf(own, times * total + 1, how)).size).toBe(own.length);
        },
      ),
    );
  });

  it("choose independently where the sizes are coprime multiples of the ports, and only then (theorem 2)", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 2, max: 40 }),
        (m1, m2, a, b) => {
          const [q1, q2] = [m1 * a, m2 * b];
          fc.pre(areCoprime(q1, q2));
          const pairs = new Map<string, number>();
          const [one, two] = [slotsOf(equal(m1), q1, "split"), slotsOf(equal(m2), q2, "split")];
          for (let hash = 0; hash < q1 * q2; hash++) {
            const key = `${one[hash % q1]} ${two[hash % q2]}`;
            pairs.set(key, (pairs.get(key) ?? 0) + 1);
          }
          expect([...pairs.values()]).toEqual(Array(m1 * m2).fill((q1 * q2) / (m1 * m2)));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("get the size with the least unevenness that is coprime to the others", () => {
    expect(bestSize([equal(8)], [], 128, "split")).toBe(8);
    expect(bestSize([equal(8)], [128], 128, "split")).toBe(127);
    expect(bestSize([equal(8)], [2, 3, 5, 7], 10, "split")).toBeUndefined();
    expect(bestSize([equal(8), equal(6)], [], 128, "split")).toBe(24);
  });
});
