/** Slots of groups against the paper's examples, its formula of section 4.2, and theorem 2. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  areCoprime,
  bestSize,
  partWeights,
  slotsOf,
  unevenness,
} from "../../../../src/fabric/schemes/hashing/groups.js";
import { hashNamed } from "../../../../src/toolchain/hash/index.js";

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

  it("of any coprime sizes choose independently, but for what the range of the hash leaves over (theorem 2)", () => {
    // Over all inputs of two bytes this CRC has each of its 65,536 values once.
    const crc = hashNamed("crc-16/arc")!.make(0);
    const values = Array.from({ length: 65_536 }, (_, i) => crc(Uint8Array.of(i >> 8, i & 255)));
    const dependence = (m1: number, m2: number, q1: number, q2: number) => {
      const [one, two] = [slotsOf(equal(m1), q1, "split"), slotsOf(equal(m2), q2, "split")];
      const joint = new Float64Array(m1 * m2);
      for (const value of values) joint[one[value % q1]! * m2 + two[value % q2]!]! += 1 / values.length;
      let apart = 0;
      for (let i = 0; i < m1; i++)
        for (let j = 0; j < m2; j++) {
          let [row, column] = [0, 0];
          for (let k = 0; k < m2; k++) row += joint[i * m2 + k]!;
          for (let k = 0; k < m1; k++) column += joint[k * m2 + j]!;
          apart += Math.abs(joint[i * m2 + j]! - row * column) / 2;
        }
      return apart;
    };
    const ports = fc.integer({ min: 2, max: 8 });
    const size = fc.integer({ min: 8, max: 80 });
    fc.assert(
      fc.property(ports, ports, size, size, (m1, m2, q1, q2) => {
        fc.pre(areCoprime(q1, q2));
        expect(dependence(m1, m2, q1, q2)).toBeLessThan((2 * q1 * q2) / values.length);
      }),
      { numRuns: 40 },
    );
    // A common divisor that divides the ports too leaves the parity of both choices the same.
    fc.assert(
      fc.property(ports, ports, (m1, m2) => {
        expect(dependence(2 * m1, 2 * m2, 4 * m1, 6 * m2)).toBeGreaterThan(0.4);
      }),
      { numRuns: 10 },
    );
  });

  it("get the size with the least unevenness that is coprime to the others", () => {
    expect(bestSize([equal(8)], [], 128, "split")).toBe(8);
    expect(bestSize([equal(8)], [128], 128, "split")).toBe(127);
    expect(bestSize([equal(8)], [2, 3, 5, 7], 10, "split")).toBeUndefined();
    expect(bestSize([equal(8), equal(6)], [], 128, "split")).toBe(24);
  });
});
