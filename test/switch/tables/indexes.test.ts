/** Lookups in all index structures against a plain search, while entries come and go. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeLookup } from "../../../src/switch/codegen/lookup.js";
import { ExactIndex } from "../../../src/switch/tables/exact-index.js";
import { PrefixIndex } from "../../../src/switch/tables/prefix-index.js";
import { PrefixTrie } from "../../../src/switch/tables/prefix-trie.js";
import {
  type EntryKey,
  type FieldKind,
  type KeyShape,
  keyShape,
  prefixMask,
  putWords,
} from "../../../src/switch/tables/shape.js";
import { TernaryIndex } from "../../../src/switch/tables/ternary-index.js";
import { runs } from "../../fuzz-seed.js";

interface Part {
  value: bigint;
  mask: bigint;
  low: bigint;
  high: bigint;
  prefix: number;
}

interface Entry {
  parts: Part[];
  priority: number;
}

/** Small value spaces, so that keys collide and entries overlap. */
function partOf(kind: FieldKind, width: number): fc.Arbitrary<Part> {
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

function keyOf(shape: KeyShape, { parts, priority }: Entry): EntryKey {
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

function indexOf(shape: KeyShape) {
  switch (shape.index) {
    case "exact":
      return new ExactIndex(shape.words);
    case "trie":
      return new PrefixTrie(shape.fields[0]!.width);
    case "prefix":
      return new PrefixIndex(shape);
    case "ternary":
      return new TernaryIndex(shape);
  }
}

/** The winner by definition: longest prefix, or highest priority, then lowest number. */
function search(shape: KeyShape, entries: ReadonlyMap<number, Entry>, key: readonly bigint[]): number {
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

const SHAPES: [string, [FieldKind, number][]][] = [
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

describe.each(SHAPES)("%s", (_, fields) => {
  const shape = keyShape(fields.map(([kind, width], i) => ({ name: `f${i}`, kind, width })));
  const lookup = new Function(`${writeLookup("find", shape)}\nreturn find;`)() as (
    x: unknown,
    ...words: number[]
  ) => number;
  const entry = fc.record({
    parts: fc.tuple(...fields.map(([kind, width]) => partOf(kind, width))),
    priority: fc.integer({ min: 1, max: 5 }),
  });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ put: entry }) },
    { weight: 1, arbitrary: fc.record({ drop: fc.nat() }) },
  );

  it("finds what a search finds, after any inserts and deletes", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80 }),
        fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
        (steps, picks) => {
          const index = indexOf(shape);
          const entries = new Map<number, Entry>();
          const taken = new Set<string>();
          const name = (e: Entry) =>
            e.parts.map((p) => [p.value, p.mask, p.low, p.high].join()).join("|") +
            (shape.index === "ternary" ? e.priority : "");
          let next = 0;
          const free: number[] = [];
          for (const action of steps) {
            if ("put" in action) {
              if (taken.has(name(action.put))) continue;
              const number = free.pop() ?? next++;
              taken.add(name(action.put));
              entries.set(number, action.put);
              index.insert(number, keyOf(shape, action.put));
            } else if (entries.size > 0) {
              const number = [...entries.keys()][action.drop % entries.size]!;
              taken.delete(name(entries.get(number)!));
              entries.delete(number);
              index.remove(number);
              free.push(number);
            }
          }
          const all = [...entries.values()];
          for (const pick of picks) {
            // A key made of an entry's parts (of different entries), sometimes one off.
            const key = fields.map(([, width], i) => {
              const part =
                all.length === 0 ? undefined : all[(pick + i * (pick % 3)) % all.length]!.parts[i]!;
              const value =
                part === undefined ? BigInt(pick) : pick % 5 === 0 ? part.high : part.value | part.low;
              return BigInt.asUintN(width, value + (pick % 4 === 0 ? 1n : 0n));
            });
            const words = new Int32Array(shape.words);
            shape.fields.forEach((field, i) => {
              putWords(words, field, key[i]!);
            });
            expect(lookup(index, ...words)).toBe(search(shape, entries, key));
          }
        },
      ),
      runs(120),
    );
  });
});
