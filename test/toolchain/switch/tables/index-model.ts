/** Entries of any kind of match, the index structure that holds them with the generated lookup, and a plain search. */
import fc from "fast-check";
import { expect } from "vitest";
import { recordPlace, writeLookup } from "../../../../src/toolchain/switch/codegen/lookup.js";
import { ExactIndex } from "../../../../src/toolchain/switch/tables/exact-index.js";
import { PrefixIndex } from "../../../../src/toolchain/switch/tables/prefix-index.js";
import { PrefixTrie } from "../../../../src/toolchain/switch/tables/prefix-trie.js";
import {
  type EntryKey,
  type FieldKind,
  type KeyShape,
  prefixMask,
  putWords,
} from "../../../../src/toolchain/switch/tables/shape.js";
import { TernaryIndex } from "../../../../src/toolchain/switch/tables/ternary-index.js";

export interface Part {
  value: bigint;
  mask: bigint;
  low: bigint;
  high: bigint;
  prefix: number;
}

export interface Entry {
  parts: Part[];
  priority: number;
}

/** Small value spaces, so that keys collide and entries overlap. */
export function partOf(kind: FieldKind, width: number): fc.Arbitrary<Part> {
  const max = (1n << BigInt(width)) - 1n;
  const number = fc
    .oneof(fc.bigInt(0n, 7n), fc.bigInt(0n, max), fc.constant(max))
    .map((value) => value & max);
  const base = { low: 0n, high: max, prefix: 0 };
  switch (kind) {
    case "exact":
      return number.map((value) => ({ ...base, value, mask: max }));
    case "lpm":
      return fc.tuple(number, fc.integer({ min: 0, max: width })).map(([value, prefix]) => {
        const mask = prefixMask(prefix, width);
        return { ...base, value: value & mask, mask, prefix };
      });
    case "range":
      return fc
        .tuple(number, number)
        .map(([a, b]) => ({ ...base, value: 0n, mask: 0n, low: a < b ? a : b, high: a < b ? b : a }));
    default:
      return fc
        .tuple(number, fc.constantFrom(0n, max, max ^ 1n, 3n & max))
        .map(([value, mask]) => ({ ...base, value: value & mask, mask }));
  }
}

export function keyOf(shape: KeyShape, { parts, priority }: Entry): EntryKey {
  const make = () => new Int32Array(shape.words);
  const key = { values: make(), masks: make(), lows: make(), highs: make(), prefix: 0, priority };
  shape.fields.forEach((field, i) => {
    const part = parts[i]!;
    putWords(key.values, field, part.value);
    putWords(key.masks, field, part.mask);
    putWords(key.lows, field, part.low);
    putWords(key.highs, field, part.high);
    if (field.kind === "lpm") key.prefix = part.prefix;
  });
  return key;
}

/** Words of a record in these tests: the entry's number and something made of it. */
export const RECORD = 2;

export type Index = ReturnType<typeof indexOf>;

export function put(index: Index, number: number, key: EntryKey): void {
  index.insert(number, key);
  index.records.set([number, 7 * number], index.recordAt(number));
}

/** The generated lookup: the entry found or -1. Checks that its record is where generated code looks for it. */
export function finder(shape: KeyShape): (index: Index, words: Int32Array) => number {
  const place = recordPlace(shape, RECORD, "x", "e");
  const all = Array.from({ length: shape.words }, (_, i) => `k[${i}]`);
  const text = [
    writeLookup("find", shape, RECORD),
    `return (x, k) => { const e = find(x, ${all.join(", ")});`,
    `if (e < 0) return [e]; const at = ${place.at}; return [e, ...${place.words}.slice(at, at + ${RECORD})]; };`,
  ].join("\n");
  const find = new Function(text)() as (index: Index, words: Int32Array) => number[];
  return (index, words) => {
    const [entry, ...record] = find(index, words);
    if (entry! >= 0) expect(record).toEqual([entry, 7 * entry!]);
    return entry!;
  };
}

/** Other sizes than those of the switch, at which few entries reach what otherwise thousands do. */
export interface Sizes {
  few?: number;
  shortChain?: number;
  firstMost?: number;
  spare?: number;
}

export function indexOf(shape: KeyShape, sizes: Sizes = {}) {
  switch (shape.index) {
    case "exact":
      return new ExactIndex(shape.words, RECORD);
    case "trie":
      return new PrefixTrie(shape.fields[0]!.width, RECORD, sizes);
    case "prefix":
      return new PrefixIndex(shape, RECORD);
    case "ternary":
      return new TernaryIndex(shape, RECORD, sizes);
  }
}

/** The winner by definition: longest prefix, or highest priority, then lowest number. */
export function search(shape: KeyShape, entries: ReadonlyMap<number, Entry>, key: readonly bigint[]): number {
  let best = -1;
  for (const [number, entry] of [...entries].sort(([a], [b]) => a - b)) {
    const matches = entry.parts.every(
      (part, i) => (key[i]! & part.mask) === part.value && part.low <= key[i]! && key[i]! <= part.high,
    );
    if (!matches) continue;
    const rank = (e: Entry) =>
      shape.index === "ternary" ? e.priority : Math.max(...e.parts.map((p) => p.prefix));
    if (best < 0 || rank(entry) > rank(entries.get(best)!)) best = number;
  }
  return best;
}

export const SHAPES: [string, [FieldKind, number][]][] = [
  ["exact, one word", [["exact", 16]]],
  [
    "exact, many words",
    [
      ["exact", 9],
      ["exact", 128],
      ["exact", 1],
    ],
  ],
  ["lpm, 32 bits", [["lpm", 32]]],
  ["lpm, 12 bits", [["lpm", 12]]],
  ["lpm, 128 bits", [["lpm", 128]]],
  [
    "lpm and exact",
    [
      ["exact", 9],
      ["lpm", 32],
    ],
  ],
  [
    "ternary",
    [
      ["ternary", 16],
      ["ternary", 48],
    ],
  ],
  [
    "ternary and range",
    [
      ["ternary", 32],
      ["range", 16],
      ["exact", 2],
    ],
  ],
  ["wide range", [["range", 40]]],
  [
    "optional",
    [
      ["optional", 16],
      ["lpm", 32],
    ],
  ],
];
