/** Ranks, shared bits and the check of hash assignments, against counting and a second elimination. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPaths, type HashModel } from "../../src/fabric/paths/index.js";
import { BitMatrix, sharedRank } from "../../src/toolchain/hash/gf2.js";
import { correlate, hashNamed, sliced } from "../../src/toolchain/hash/index.js";
import { FROM, modelOf, TO, topology } from "../fabric/paths/two-choices.js";
import { jointShares, rank, sharedBits } from "../models/gf2.js";
import { worstDependence } from "../models/slots.js";

/** A linear map of 16 bits: column b is the effect of input bit b. */
const columns = fc.array(fc.nat(0xffff), { minLength: 16, maxLength: 16 });
const apply = (map: readonly number[], input: number): number =>
  map.reduce((value, column, bit) => ((input >> bit) & 1 ? value ^ column : value), 0);
const rowsOf = (map: readonly number[], bits: number): bigint[] =>
  Array.from({ length: bits }, (_, row) =>
    map.reduce((value, column, bit) => value | (BigInt((column >> row) & 1) << BigInt(bit)), 0n),
  );
const ofBytes = (map: readonly number[], width: number) => ({
  width,
  bytes: 2,
  hash: (bytes: Uint8Array) => apply(map, (bytes[0]! << 8) | bytes[1]!) & (2 ** width - 1),
});

describe("linear algebra", () => {
  it("has the ranks of a second elimination", () => {
    const words = fc.array(fc.bigInt({ min: 0n, max: (1n << 70n) - 1n }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(words, fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 20 }), (rows, sums) => {
        // Sums of rows make rows dependent.
        const all = [...rows, ...sums.map(([a, b]) => rows[a % rows.length]! ^ rows[b % rows.length]!)];
        const matrix = new BitMatrix(all.length, 70);
        for (const [row, bits] of all.entries())
          for (let column = 0; column < 70; column++)
            matrix.set(row, column, Number((bits >> BigInt(column)) & 1n));
        expect(matrix.rank()).toBe(rank(all));
      }),
    );
  });

  it("finds as many shared bits, also of a function with itself", () => {
    fc.assert(
      fc.property(columns, columns, fc.integer({ min: 1, max: 8 }), (first, other, width) => {
        const shared = sharedBits(rowsOf(first, width), rowsOf(other, width));
        expect(sharedRank(ofBytes(first, width), ofBytes(other, width))).toBe(shared);
        expect(sharedRank(ofBytes(first, width), ofBytes(first, width))).toBe(rank(rowsOf(first, width)));
      }),
    );
  });

  it.each([
    ["crc-16/arc", "crc-16/modbus"],
    ["crc-16/arc", "crc-16/xmodem"],
    ["xor16", "crc-16/arc"],
  ])("correlates %s and %s as counting all inputs does", (a, b) => {
    for (const [m, n] of [
      [4, 4],
      [8, 2],
      [3, 5],
    ] as const) {
      const choice = (name: string, size: number) => ({ hash: sliced(hashNamed(name)!, {}), size });
      const [one, other] = [choice(a, m), choice(b, n)];
      const of = (own: typeof one) => (input: bigint) =>
        own.hash.hash(Uint8Array.of(Number(input >> 8n), Number(input & 255n))) % own.size;
      const joint = jointShares(of(one), of(other), 16);
      const share = (i: number, j: number) => joint.get(`${i},${j}`) ?? 0;
      const range = (size: number) => Array.from({ length: size }, (_, at) => at);
      let moved = 0;
      for (const i of range(m))
        for (const j of range(n)) {
          const left = range(n).reduce((all, at) => all + share(i, at), 0);
          const right = range(m).reduce((all, at) => all + share(at, j), 0);
          moved += Math.abs(share(i, j) - left * right) / 2;
        }
      const found = correlate(one, other, 2, { samples: 1000, seed: 1 });
      expect(found.by).toBe("exact");
      expect(found.polarisedShare).toBeCloseTo(moved, 9);
    }
  });
});

describe("the check of paths", () => {
  /** t chooses m0 or m1 by one function and so many slots, which choose e0 or e1 by another. */
  function verdict(
    first: HashModel,
    other: HashModel | undefined,
    slots: readonly [number, number],
    seeds = [0, 0],
  ) {
    const slotsOf = (size: number, to: readonly [string, string]) =>
      Array.from({ length: size }, (_, slot) => to[slot % 2]!);
    const model = modelOf(
      { seed: seeds[0]!, slots: slotsOf(slots[0], ["m0", "m1"]) },
      { hash: other === undefined ? 0 : 1, seed: seeds[1]!, slots: slotsOf(slots[1], ["e0", "e1"]) },
      other === undefined ? [first] : [first, other],
    );
    const { correlated, drawn, compared } = checkPaths(topology, model, { pairs: [[FROM, TO]] });
    return { correlated: correlated.length > 0, proved: drawn.length === 0 && compared.length === 0 };
  }

  const hashModel = (name: string, map: readonly number[], affine = true): HashModel => ({
    name,
    affine,
    input: [
      { field: "src_port", bits: 16 },
      { field: "seed", bits: 16 },
    ],
    // The seed flips bits of the result, as a first value of a CRC does.
    hash: (bytes) => apply(map, (bytes[0]! << 8) | bytes[1]!) ^ ((bytes[2]! << 8) | bytes[3]!),
  });

  /** The largest share of a port's flows that the later choice sends to another port than that of all flows. */
  function dependence(
    first: readonly number[],
    other: readonly number[],
    [m, n]: readonly [number, number],
    [a, b]: readonly number[] = [0, 0],
  ): number {
    const joint = [
      [0, 0],
      [0, 0],
    ];
    for (let input = 0; input < 65536; input++)
      joint[((apply(first, input) ^ a!) % m) % 2]![((apply(other, input) ^ b!) % n) % 2]! += 1 / 65536;
    const all = [0, 1].map((j) => joint[0]![j]! + joint[1]![j]!);
    return Math.max(
      ...joint.map((row) => {
        const given = row[0]! + row[1]!;
        return given === 0 ? 0 : Math.max(0, ...row.map((share, j) => share / given - all[j]!));
      }),
    );
  }

  const sizes = fc.tuple(fc.constantFrom(2, 4, 8, 3, 6), fc.constantFrom(2, 4, 8, 5, 6));

  it("says that nothing depends only where counting all headers says so", () => {
    fc.assert(
      fc.property(columns, columns, fc.nat(16), sizes, (first, drawn, same, slots) => {
        // The functions agree in some of their columns, often in all.
        const other = drawn.map((column, bit) => (bit < same ? first[bit]! : column));
        const truth = dependence(first, other, slots);
        const { correlated, proved } = verdict(hashModel("one", first), hashModel("other", other), slots);
        if (truth > 0.02) expect(correlated).toBe(true);
        if (!correlated && proved) expect(truth).toBeLessThan(0.006);
      }),
      { numRuns: 60 },
    );
  });

  it("never calls a function independent of itself, whatever the seeds are (theorem 1)", () => {
    fc.assert(
      fc.property(columns, fc.nat(0xffff), fc.boolean(), (map, seed, twoNames) => {
        const first = hashModel("one", map);
        const other = twoNames ? hashModel("other", map) : undefined;
        // Of equal columns nothing can be chosen at all.
        fc.pre(rank(rowsOf(map, 1)) === 1);
        expect(dependence(map, map, [2, 2], [0, seed])).toBe(0.5);
        expect(verdict(first, other, [2, 2], [0, seed]).correlated).toBe(true);
        const opaque = hashModel("opaque", map, false);
        expect(verdict(opaque, undefined, [2, 2], [seed, seed]).correlated).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("finds one function with coprime sizes nearly independent, and with others not (theorem 2)", () => {
    const identity = hashModel(
      "identity",
      Array.from({ length: 16 }, (_, bit) => 1 << bit),
    );
    for (const sizes of [
      [128, 127],
      [16, 57],
      [7, 8],
      [8, 8],
      [16, 4],
      [6, 4],
    ] as const) {
      // The groups have two members each.
      const worst = worstDependence(65536, [sizes[0], 2], [sizes[1], 2]);
      const { correlated } = verdict(identity, undefined, sizes);
      if (worst > 0.02) expect([sizes, correlated]).toEqual([sizes, true]);
      if (worst < 0.004) expect([sizes, correlated]).toEqual([sizes, false]);
    }
  });
});
