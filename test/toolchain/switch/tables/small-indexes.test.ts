/**
 * The index structures with sizes so small that a few dozen entries reach every form that they have: groups of masks, long chains of one
 * masked key, wider first steps of a trie. After each change, the keys at the bounds of all entries find what a search finds.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FieldKind,
  keyShape,
  prefixMask,
  putWords,
} from "../../../../src/toolchain/switch/tables/shape.js";
import { TernaryIndex } from "../../../../src/toolchain/switch/tables/ternary-index.js";
import { runs } from "../../../fuzz-seed.js";
import {
  type Entry,
  finder,
  indexOf,
  keyOf,
  type Part,
  put,
  RECORD,
  SHAPES,
  type Sizes,
  search,
} from "./index-model.js";

const onesOf = (width: number) => (1n << BigInt(width)) - 1n;

/** Few values and few masks, in the high and in the low bits of the field, so that entries collide, nest and follow one another. */
function crowded(kind: FieldKind, width: number): fc.Arbitrary<Part> {
  const max = onesOf(width);
  const top = BigInt(Math.max(0, width - 4));
  const number = fc
    .oneof(
      fc.bigInt(0n, 15n),
      fc.bigInt(0n, 15n).map((value) => value << top),
      fc.constant(max),
    )
    .map((value) => value & max);
  const whole = { low: 0n, high: max, prefix: 0 };
  switch (kind) {
    case "exact":
      return number.map((value) => ({ ...whole, value, mask: max }));
    case "lpm": {
      const lengths = [0, 1, 3, 4, 5, 8, 9, 12, 13, 16, 20, 24, 28, 31, width - 1, width].filter(
        (n) => n <= width,
      );
      return fc.tuple(number, fc.constantFrom(...lengths)).map(([value, prefix]) => {
        const mask = prefixMask(prefix, width);
        return { ...whole, value: value & mask, mask, prefix };
      });
    }
    case "range":
      return fc
        .tuple(number, number)
        .map(([a, b]) => ({ ...whole, value: 0n, mask: 0n, low: a < b ? a : b, high: a < b ? b : a }));
    default:
      return fc
        .tuple(number, fc.constantFrom(0n, max, max ^ 1n, max ^ (1n << top)))
        .map(([value, mask]) => ({ ...whole, value: value & mask, mask }));
  }
}

/** The numbers at the ends of a part's range of values, and those beside them. */
function boundsOf({ value, mask, low, high }: Part, width: number): bigint[] {
  const first = value > low ? value : low;
  const last = (value | (onesOf(width) ^ mask)) & onesOf(width);
  const end = last < high ? last : high;
  return [first, first - 1n, end, end + 1n].map((key) => BigInt.asUintN(width, key));
}

const SIZES: Sizes[] = [
  { few: 2, shortChain: 1, firstMost: 32, spare: 1 << 10 },
  { few: 4, shortChain: 3, firstMost: 8, spare: 16 },
  { few: 8, shortChain: 2, firstMost: 12, spare: 128 },
];

describe.each(SHAPES)("%s", (_, fields) => {
  const shape = keyShape(fields.map(([kind, width], i) => ({ name: `f${i}`, kind, width })));
  const entry = fc.record({
    parts: fc.tuple(...fields.map(([kind, width]) => crowded(kind, width))),
    priority: fc.integer({ min: 1, max: 4 }),
  });
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ put: entry }) },
    { weight: 2, arbitrary: fc.record({ drop: fc.nat() }) },
  );
  const nameOf = ({ parts, priority }: Entry) =>
    parts.map((p) => [p.value, p.mask, p.low, p.high].join()).join("|") +
    (shape.index === "ternary" ? priority : "");

  it("finds what a search finds, after each insert and delete", () => {
    const lookup = finder(shape);
    const grow = fc.array(fc.record({ put: entry }), { maxLength: 40, size: "max" });
    const steps = fc
      .tuple(grow, fc.array(step, { maxLength: 60, size: "max" }))
      .map(([a, b]) => [...a, ...b]);
    fc.assert(
      fc.property(fc.constantFrom(...SIZES), steps, (sizes, actions) => {
        const index = indexOf(shape, sizes);
        const entries = new Map<number, Entry>();
        const taken = new Set<string>();
        const free: number[] = [];
        const check = () => {
          const all = [...entries.values()];
          all.forEach(({ parts }, n) => {
            const other = all[(7 * n + 1) % all.length]!.parts;
            for (let bound = 0; bound < 4; bound++) {
              const key = parts.map(
                (part, i) => boundsOf(i % 2 === 0 ? part : other[i]!, fields[i]![1])[bound]!,
              );
              const words = new Int32Array(shape.words);
              shape.fields.forEach((field, i) => {
                putWords(words, field, key[i]!);
              });
              const found = lookup(index, words);
              if (found !== search(shape, entries, key))
                expect.fail(`${key}: ${found} of ${[...entries.keys()]}`);
            }
          });
        };
        actions.forEach((action, i) => {
          if ("put" in action) {
            if (taken.has(nameOf(action.put))) return;
            const number = free.pop() ?? entries.size;
            taken.add(nameOf(action.put));
            entries.set(number, action.put);
            put(index, number, keyOf(shape, action.put));
          } else if (entries.size > 0) {
            const number = [...entries.keys()][action.drop % entries.size]!;
            taken.delete(nameOf(entries.get(number)!));
            entries.delete(number);
            index.remove(number);
            free.push(number);
          }
          if (i % 8 === 0) check();
        });
        check();
        for (const number of [...entries.keys()]) {
          index.remove(number);
          entries.delete(number);
          if (entries.size % 8 === 0) check();
        }
        for (const { parts } of actions.flatMap((action) => ("put" in action ? [action.put] : []))) {
          const words = new Int32Array(shape.words);
          shape.fields.forEach((field, i) => {
            putWords(words, field, boundsOf(parts[i]!, fields[i]![1])[0]!);
          });
          expect(lookup(index, words)).toBe(-1);
        }
      }),
      runs(25),
    );
  });
});

describe("a ternary index", () => {
  const shape = keyShape([{ name: "f", kind: "ternary", width: 8 }]);
  const key = (value: number) => ({
    values: Int32Array.of(value),
    masks: Int32Array.of(0xff),
    lows: new Int32Array(1),
    highs: new Int32Array(1),
    prefix: 0,
    priority: 1,
  });

  it("searches up to 24 entries one by one, more by their masks, and half as many one by one again", () => {
    const index = new TernaryIndex(shape, RECORD);
    const forms: boolean[] = [];
    for (let i = 0; i < 26; i++) {
      index.insert(i, key(i));
      forms.push(index.few);
    }
    for (let i = 0; i < 26; i++) {
      index.remove(i);
      forms.push(index.few);
    }
    expect(forms).toEqual(Array.from({ length: 52 }, (_, i) => i < 24 || i >= 39));
  });

  it("has at least twice as many slots for a mask as the mask has keys", () => {
    const index = new TernaryIndex(shape, RECORD, { few: 0 });
    for (let i = 0; i < 40; i++) {
      index.insert(i, key(i));
      const [group] = index.groups.blocks.flat();
      expect(group!.keys).toBe(i + 1);
      expect(group!.slots.length).toBeGreaterThanOrEqual(2 * (i + 1));
      expect(group!.slots.length).toBeLessThanOrEqual(Math.max(8, 4 * (i + 2)));
    }
  });
});
