/**
 * The rules by which memory is counted, in closed form. Numbers of Tofino (data/targets/tofino.yaml, with its sources): SRAM of 1,024
 * lines of 128 bits, TCAM of 512 rows of 44 bits, four hash ways, ten ghost bits, a version nibble an entry.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { actionBlocks, roundedRam } from "../../../src/toolchain/fit/memory/action-data.js";
import { attachedMemory } from "../../../src/toolchain/fit/memory/attached.js";
import { identityBlocks, packings, searchesOf, waySizes } from "../../../src/toolchain/fit/memory/exact.js";
import {
  indirectionBlocks,
  rangeRows,
  ternaryGroups,
  ternaryWidth,
} from "../../../src/toolchain/fit/memory/ternary.js";
import type { Attached, KeyPart } from "../../../src/toolchain/fit/model/model.js";
import { unitsFit } from "../../../src/toolchain/fit/place/stage.js";
import { loadTarget } from "./golden.js";

const tofino = loadTarget("tofino");
const rmt = loadTarget("rmt");

describe("hash ways", () => {
  it.each<[number, number[]]>([
    [1, [1, 1, 1, 1]],
    [4, [1, 1, 1, 1]],
    [5, [2, 1, 1, 1]],
    [7, [2, 2, 2, 1]],
    [8, [2, 2, 2, 2]],
    [9, [2, 2, 2, 2, 1]],
    [16, [4, 4, 4, 4]],
    [23, [4, 4, 4, 4, 4, 2, 1]],
    [80, [16, 16, 16, 16, 16]],
  ])("of %i blocks", (depth, ways) => {
    expect(waySizes(depth, 4, 64)).toEqual(ways);
  });

  it("hold the depth exactly, in powers of two that fall, and none beyond its share of the maximum", () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 400 }), fc.constantFrom(16, 32, 64), (depth, most) => {
        const ways = waySizes(depth, 4, most);
        expect(ways.reduce((sum, size) => sum + size, 0)).toBe(depth);
        expect(ways.every((size) => Number.isInteger(Math.log2(size)) && size <= most / 4)).toBe(true);
        expect(ways).toEqual([...ways].sort((a, b) => b - a));
        expect(ways.length).toBeGreaterThanOrEqual(4);
      }),
    );
  });

  it.each<[ways: number[], isAsked: boolean, searches: [ways: number, select: number][]]>([
    [[1, 1, 1, 1], false, [[4, 0]]],
    [[2, 1, 1, 1], false, [[4, 1]]],
    [[4, 4, 4, 4], false, [[4, 8]]],
    // The fifth way shares the hash of another, where the program does not ask for it.
    [[2, 2, 2, 2, 1], false, [[4, 4]]],
    [
      [2, 2, 2, 2, 1],
      true,
      [
        [4, 4],
        [1, 0],
      ],
    ],
    [[1], false, [[1, 0]]],
    // Three ways of 16 blocks take all 12 bits that choose blocks.
    [
      [16, 16, 16, 16, 16],
      false,
      [
        [3, 12],
        [2, 8],
      ],
    ],
    // More blocks than a Tofino has: as many functions as these bits take.
    [
      [16, 16, 16, 16, 16, 16, 8],
      false,
      [
        [3, 12],
        [3, 12],
        [1, 3],
      ],
    ],
    [[8192], false, [[1, 13]]],
  ])(
    "%j, asked for: %j, take lines and bits that choose a block of hash functions",
    (ways, isAsked, searches) => {
      const found = searchesOf(ways, { most: 4, selectBits: 12, isAsked });
      expect(found.map(({ ways: own, select }) => [own, select])).toEqual(searches);
    },
  );
});

describe("a key that is its own address", () => {
  it.each<[bits: number, perWord: number, depth: number, blocks: number | undefined]>([
    [9, 1, 1, 1],
    [10, 1, 1, 1],
    [11, 1, 2, 2],
    [11, 1, 1, undefined],
    [12, 2, 2, 2],
    // Three entries a word: 4 / 3 lines of blocks, rounded up to a power of two.
    [12, 3, 2, 2],
    [13, 3, 3, undefined],
    [13, 3, 4, 4],
    [18, 1, 256, 256],
    [19, 1, 512, undefined],
  ])("of %i bits, %i entries a word, for a table of %i blocks", (bits, perWord, depth, blocks) => {
    expect(identityBlocks(bits, perWord, depth, tofino)).toBe(blocks);
    expect(identityBlocks(bits, perWord, depth, rmt)).toBeUndefined();
  });
});

describe("packings", () => {
  const key = (bytes: number) => ({ bytes: new Array<number>(bytes).fill(8), bits: 8 * bytes });

  it("are the narrowest of each number of entries, within all limits of the target", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 64 }), (bytes, overhead) => {
        const list = packings(key(bytes), overhead, tofino, { immediate: 0, single: false });
        // What one search bus brings is found out bit by bit afterwards.
        const isFound = bytes <= 16;
        const fits = (n: number, w: number): boolean =>
          // One whole byte of the key is in the ten ghost bits, and two more bits of another.
          n * (bytes - 1 + (isFound ? 0 : 1 / 2)) <= 16 * w &&
          n * (Math.max(0, 8 * bytes - 10) + 4 + overhead) <= 128 * w &&
          (isFound ? n * overhead <= 64 * w : overhead === 0 || n <= w * Math.floor(64 / overhead)) &&
          n <= 5 * w;
        const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((entriesPerWord) => {
          const width = [1, 2, 3, 4, 5, 6, 7, 8].find((w) => fits(entriesPerWord, w));
          return width === undefined ? [] : [{ entriesPerWord, width }];
        });
        expect(list).toEqual(expected);
        expect(packings(key(bytes), overhead, tofino, { immediate: 0, single: true })).toEqual(
          expected.filter(({ entriesPerWord }) => entriesPerWord === 1),
        );
      }),
    );
  });
});

describe("ternary memory", () => {
  const part = (kind: KeyPart["kind"], width: number): KeyPart => ({
    kind,
    access: { field: "f", lo: 0, width },
  });

  it.each([
    [1, 1],
    [40, 1],
    [41, 2],
    [84, 2],
    [85, 3],
  ])("%i bits and the overhead of 4 are %i blocks wide", (bits, width) => {
    expect(ternaryWidth(bits, tofino)).toBe(width);
  });

  it("takes a block of its own for each range of a key", () => {
    const groups = (ranges: number[][], plain: number[] = []) => {
      const bytes = [...ranges.flat(), ...plain];
      const numbers = [...ranges.flatMap((list, i) => list.map(() => i)), ...plain.map(() => undefined)];
      return ternaryGroups({ bytes, ranges: numbers, bits: bytes.reduce((sum, bits) => sum + bits, 0) });
    };
    expect(groups([[8, 8]], [1])).toBe(1);
    expect(groups([[8], [8]])).toBe(2);
    // Logged: three ranges of 16 bits, one of 8, a byte and two bits take four, although 17 bytes are room for three.
    expect(groups([[8, 8], [8], [8, 8], [8, 8]], [8, 1, 2])).toBe(4);
  });

  it("takes 2 n - 1 rows for a range of n nibbles, 8 at most, in a quarter of the entries", () => {
    const rows = (...key: KeyPart[]) => rangeRows(key, 101, tofino);
    expect(rows(part("ternary", 32))).toBe(101);
    expect([4, 5, 8, 12, 16, 20].map((width) => rows(part("range", width)))).toEqual([
      101,
      ...[3, 3, 5, 7, 8].map((most) => 76 + 25 * most),
    ]);
    // The widest range decides, wherever it stands.
    expect(rows(part("range", 12), part("exact", 32), part("range", 5))).toBe(76 + 25 * 5);
  });

  it.each([
    [1024, 0, 0],
    // 8 bits at least, so 16 entries a line.
    [16 * 1024, 1, 1],
    [16 * 1024 + 1, 8, 2],
    [8 * 1024, 9, 1],
    [8 * 1024 + 1, 16, 2],
    [1024, 128, 1],
    [1025, 65, 2],
    [1025, 129, 4],
  ])("%i entries with %i bits beside the match take %i blocks of indirection", (entries, bits, blocks) => {
    expect(indirectionBlocks(entries, bits, tofino)).toBe(blocks);
  });
});

describe("action data", () => {
  it("has a power of two of bytes within a line, and whole lines beyond", () => {
    expect([0, 1, 2, 3, 5, 8, 9, 16, 17, 32, 33].map((bytes) => roundedRam(bytes, tofino))).toEqual([
      0, 1, 2, 4, 8, 8, 16, 16, 32, 32, 48,
    ]);
    // A line of RMT has 14 bytes.
    expect([9, 14, 15].map((bytes) => roundedRam(bytes, rmt))).toEqual([14, 14, 28]);
  });

  it.each([
    [0, 16, 0],
    [1, 0, 0],
    [1024, 16, 1],
    [1025, 16, 2],
    [2048, 8, 1],
    [2049, 8, 2],
    [1024, 32, 2],
    [1025, 48, 6],
  ])("of %i entries with %i bytes takes %i blocks", (entries, bytes, blocks) => {
    expect(actionBlocks(entries, bytes, tofino)).toBe(blocks);
  });
});

describe("memories with an ALU", () => {
  const attached = (
    kind: Attached["kind"],
    width = 32,
    counts: Attached["counts"] = "packets",
  ): Attached => ({
    kind,
    name: "a",
    index: "field",
    address: { bits: 32, inputs: [] },
    operands: [],
    resultBytes: 0,
    results: [],
    size: 0,
    width,
    counts,
    updatesAndReturns: false,
    source: undefined,
  });

  it.each<[string, Attached, number, [blocks: number, mapRams: number]]>([
    ["two counts a line, and a spare block", attached("counter", 64), 2048, [2, 2]],
    ["one entry more", attached("counter", 64), 2049, [3, 3]],
    ["counts whose bits the program does not state", attached("counter", 0), 2049, [3, 3]],
    ["four counts of 32 bits a line", attached("counter", 32), 4096, [2, 2]],
    ["one count of packets and bytes a line", attached("counter", 64, "both"), 1025, [3, 3]],
    ["two, the bytes in 36 bits", attached("counter", 36, "both"), 2048, [2, 2]],
    ["meters, with colours of four a line", attached("meter"), 1024, [2, 3]],
    ["meters, one more", attached("meter"), 1025, [3, 4]],
    ["meters whose colours take two", attached("meter"), 4097, [6, 8]],
    ["cells of 32 bits, four a line", attached("register"), 4096, [2, 2]],
    ["cells of 32 bits, one more", attached("register"), 4097, [3, 3]],
    ["cells of 1 bit", attached("register", 1), 128 * 1024, [2, 2]],
    ["cells of two lines", attached("register", 129), 1024, [3, 3]],
    ["idle times, two a line of map RAM alone", attached("idle"), 2049, [0, 2]],
  ])("%s", (_, memory, entries, [blocks, mapRams]) => {
    expect(attachedMemory(memory, entries, tofino)).toMatchObject({ blocks, mapRams });
  });

  it("have no map RAMs and no spares on a target that states none", () => {
    expect(attachedMemory(attached("register", 56), 2000, rmt)).toEqual({ blocks: 1, mapRams: 0, spares: 0 });
    expect(attachedMemory(attached("idle"), 2000, rmt)).toEqual({ blocks: 0, mapRams: 0, spares: 0 });
  });
});

describe("what a stage packs", () => {
  it.each<[[width: number, count: number][], boolean]>([
    [[[1, 24]], true],
    [[[1, 25]], false],
    [[[12, 2]], true],
    [[[13, 1]], false],
    // Two units of 5 leave two rows of each column: room for four of width 1, none of width 3.
    [
      [
        [5, 4],
        [1, 4],
      ],
      true,
    ],
    [
      [
        [3, 1],
        [5, 4],
      ],
      false,
    ],
    [
      [
        [5, 4],
        [2, 2],
      ],
      true,
    ],
  ])("TCAM units %j in two columns of 12 rows", (units, fits) => {
    expect(unitsFit(new Map(units), 2, 12)).toBe(fits);
  });
});
