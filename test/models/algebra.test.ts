import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atMost, expectedLargest, expectedSquaredVariation, expectedUsed, noCollision } from "./bins.js";
import { polarised, variation, variations } from "./choices.js";
import { leavesAll, reachable, reachableByTrying, remappedShares } from "./control-bits.js";
import { fraction, ONE, sum, toNumber } from "./fraction.js";
import { crc, jointShares, linearPart, lowBits, rank, sharedBits } from "./gf2.js";
import {
  approximationError,
  coprime,
  ecmpSlots,
  everyPortHasAnEntry,
  naiveSlots,
  slotVariation,
  splitSlots,
  worstDependence,
} from "./slots.js";

describe("GF(2)", () => {
  it("has the ranks of identities, repeated rows and sums", () => {
    expect(rank([1n, 2n, 4n])).toBe(3);
    expect(rank([3n, 3n, 0n])).toBe(1);
    expect(rank([3n, 5n, 6n])).toBe(2);
  });

  it("counts a span of 2^rank values", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 255n }), { maxLength: 8 }), (rows) => {
        const span = new Set<bigint>();
        for (let set = 0; set < 2 ** rows.length; set++)
          span.add(rows.reduce((value, row, i) => ((set >> i) & 1 ? value ^ row : value), 0n));
        expect(span.size).toBe(2 ** rank(rows));
      }),
    );
  });

  it("finds a seed of a CRC to change no correlation (theorem 1), and different polynomials independent", () => {
    const width = 12;
    const first = (input: bigint) => crc(0x1021n, 16, input, width);
    const seeded = (input: bigint) => crc(0x1021n, 16, input, width) ^ 0xbeefn;
    const other = (input: bigint) => crc(0x8005n, 16, input, width);
    const rows = (hash: (input: bigint) => bigint) => lowBits(linearPart(hash, width, 16), 3);
    expect(sharedBits(rows(first), rows(seeded))).toBe(3);
    // Shared bits by rank are what counting says.
    const cells = (hash: (input: bigint) => bigint) =>
      jointShares(
        (x) => Number(first(x) & 7n),
        (x) => Number(hash(x) & 7n),
        width,
      );
    expect(cells(seeded).size).toBe(8);
    const shared = sharedBits(rows(first), rows(other));
    expect(cells(other).size).toBe(2 ** (6 - shared));
    expect(new Set(cells(other).values()).size).toBe(1);
  });
});

describe("chains of choices", () => {
  const tree = (functions: readonly [string, string], entries = [0, 1]) => ({
    values: { a: 8, b: 8 },
    choiceAt: (node: string) =>
      node.length < 3 ? { function: functions[node.length - 1]!, entries } : undefined,
    next: (node: string, port: number) => node + port,
  });

  it("polarises what hashes twice with one function, and splits evenly with two", () => {
    expect([...variations(tree(["a", "b"]), ["s"]).values()]).toEqual([0, 0, 0]);
    const same = variations(tree(["a", "a"]), ["s"]);
    expect([same.get("s"), same.get("s0"), same.get("s1")]).toEqual([0, 1, 1]);
    expect(polarised(2, 1)).toBe(1);
    expect(polarised(8, 1)).toBeCloseTo(2.6458, 4);
  });

  it("recombines colours where each switch receives all of them (figure 7)", () => {
    // Stage 1 by a, stage 2 by b leads every colour of a to each third switch; a may be used again there.
    const prism = {
      values: { a: 8, b: 8 },
      choiceAt: (node: string) =>
        node === "s"
          ? { function: "a", entries: [0, 1] }
          : node.startsWith("m")
            ? { function: "b", entries: [0, 1] }
            : node.startsWith("d")
              ? { function: "a", entries: [0, 1] }
              : undefined,
      next: (node: string, port: number) =>
        node === "s" ? `m${port}` : node.startsWith("m") ? `d${port}` : `end${node}${port}`,
    };
    expect([...variations(prism, ["s"]).values()]).toEqual([0, 0, 0, 0, 0]);
    const broken = {
      ...prism,
      next: (node: string, port: number) => (node === "s" ? `d${port}` : `end${node}${port}`),
    };
    expect(variations(broken, ["s"]).get("d0")).toBe(1);
  });
});

describe("entries of groups", () => {
  it("has figure 12's slots and deviation", () => {
    expect(naiveSlots([3, 1], 7)).toEqual([6, 1]);
    expect(splitSlots([3, 1], 7)).toEqual([5, 2]);
    expect(slotVariation(naiveSlots([3, 1], 7), [3, 1])).toBeCloseTo(1 / 3, 12);
    expect(slotVariation(splitSlots([3, 1], 7), [3, 1])).toBeLessThan(1 / 3);
    // Split is not always nearer to the weights.
    expect(slotVariation(naiveSlots([7, 1, 1], 101), [7, 1, 1])).toBeCloseTo(0.012, 3);
    expect(slotVariation(splitSlots([7, 1, 1], 101), [7, 1, 1])).toBeCloseTo(0.039, 3);
  });

  it("gives every port floor or ceiling of its part, and all entries away", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        fc.nat(200),
        (weights, q) => {
          for (const slots of [naiveSlots(weights, q), splitSlots(weights, q), ecmpSlots(weights.length, q)])
            expect(slots.reduce((a, b) => a + b, 0)).toBe(q);
          expect(variation(ecmpSlots(4, 4 * q + 4))).toBe(0);
        },
      ),
    );
  });

  it("is nearly independent for coprime sizes, and dependent otherwise (theorem 2)", () => {
    expect(worstDependence(65536, [128, 8], [127, 8])).toBeLessThan(0.01);
    expect(worstDependence(65536, [8, 8], [8, 8])).toBe(0.875);
    expect(worstDependence(65536, [16, 4], [8, 4])).toBe(0.75);
    // A size below the number of members leaves ports without an entry.
    expect(worstDependence(65536, [4, 8], [57, 8])).toBe(1);
    expect([everyPortHasAnEntry(4, 8), everyPortHasAnEntry(8, 8)]).toEqual([false, true]);
    expect([coprime(16, 57), coprime(16, 58), coprime(7, 1), coprime(6, 6)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(toNumber(approximationError(128, 8, 127, 8))).toBeCloseTo(7 / 127, 12);
  });
});

describe("balls in bins", () => {
  it("has the birthday's closed form and sums to one", () => {
    expect(noCollision(2, 4)).toEqual(fraction(3, 4));
    expect(noCollision(5, 4)).toEqual(fraction(0));
    expect(atMost(6, 3, 6)).toEqual(ONE);
    expect(expectedLargest(2, 2)).toEqual(fraction(3, 2));
    expect(expectedUsed(2, 2)).toEqual(fraction(3, 2));
    expect(expectedSquaredVariation(2, 2)).toEqual(fraction(1, 2));
  });

  it("agrees with counting all ways", () => {
    for (const [balls, bins] of [
      [4, 3],
      [5, 2],
    ] as const) {
      let largest = 0;
      let squared = 0;
      for (let way = 0; way < bins ** balls; way++) {
        const counts = new Array<number>(bins).fill(0);
        for (let ball = 0; ball < balls; ball++) counts[Math.floor(way / bins ** ball) % bins]!++;
        largest += Math.max(...counts) / bins ** balls;
        squared += variation(counts) ** 2 / bins ** balls;
      }
      expect(toNumber(expectedLargest(balls, bins))).toBeCloseTo(largest, 12);
      expect(toNumber(expectedSquaredVariation(balls, bins))).toBeCloseTo(squared, 12);
    }
  });
});

describe("control bits", () => {
  it("reaches 2^rank relative paths, as trying them all says", () => {
    const bits = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        bits,
        fc.integer({ min: 0, max: 6 }),
        fc.infiniteStream(fc.nat(7)),
        (sizes, controls, drawn) => {
          const hops = sizes.map((size) => ({
            bits: size,
            offsets: Array.from({ length: controls }, () => drawn.next().value! % 2 ** size),
          }));
          expect(BigInt(reachableByTrying(hops))).toBe(reachable(hops));
        },
      ),
    );
  });

  it("leaves all elements only with an offset at every hop", () => {
    const hops = [
      { bits: 1, offsets: [1, 0, 1] },
      { bits: 2, offsets: [2, 1, 2] },
    ];
    expect(leavesAll(hops)).toEqual([1, 3, 4, 6]);
    expect(leavesAll([{ bits: 1, offsets: [0, 0] }])).toEqual([]);
    // Three options of a hop with two bits: not all are found by offsets.
    expect(reachableByTrying([{ bits: 2, offsets: [3] }], [0], [3])).toBe(1);
  });

  it("deals failed buckets evenly", () => {
    expect(remappedShares([0, 1, 2, 3, 0, 1, 2, 3], [3], 4)).toEqual([1 / 3, 1 / 3, 1 / 3, 0]);
    expect(sum([fraction(1, 3), fraction(1, 3), fraction(1, 3)])).toEqual(ONE);
  });
});
