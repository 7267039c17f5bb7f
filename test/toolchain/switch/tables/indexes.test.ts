/** Lookups in all index structures against a plain search, while entries come and go. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { PrefixTrie } from "../../../../src/toolchain/switch/tables/prefix-trie.js";
import { type EntryKey, keyShape, putWords } from "../../../../src/toolchain/switch/tables/shape.js";
import { runs } from "../../../fuzz-seed.js";
import {
  type Entry,
  finder,
  type Index,
  indexOf,
  keyOf,
  partOf,
  put,
  RECORD,
  SHAPES,
  search,
} from "./index-model.js";

describe.each(SHAPES)("%s", (_, fields) => {
  const shape = keyShape(fields.map(([kind, width], i) => ({ name: `f${i}`, kind, width })));
  const entry = fc.record({
    parts: fc.tuple(...fields.map(([kind, width]) => partOf(kind, width))),
    priority: fc.integer({ min: 1, max: 5 }),
  });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ put: entry }) },
    { weight: 1, arbitrary: fc.record({ drop: fc.nat() }) },
  );

  it("finds what a search finds, after any inserts and deletes", () => {
    const lookup = finder(shape);
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
              put(index, number, keyOf(shape, action.put));
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
            expect(lookup(index, words)).toBe(search(shape, entries, key));
          }
        },
      ),
      runs(120),
    );
  });
});

describe("many entries", () => {
  const ENTRIES = 20_000;

  /** Puts the entries, then removes and puts some again at random; `check` runs between. */
  function churn(
    random: Random,
    keys: readonly EntryKey[],
    index: Index,
    check: (held: number[]) => void,
  ): void {
    const held: number[] = [];
    const rest = keys.map((_, i) => i);
    const move = (from: number[], to: number[]) => {
      const at = random.int(from.length);
      const number = from[at]!;
      from[at] = from.at(-1)!;
      from.pop();
      to.push(number);
      return number;
    };
    for (const [puts, removals] of [
      [keys.length, 0],
      [0, keys.length / 2],
      [keys.length / 4, 0],
      [0, (3 * keys.length) / 4],
      [keys.length, 0],
    ]) {
      for (let i = 0; i < puts!; i++) {
        const number = move(rest, held);
        put(index, number, keys[number]!);
      }
      for (let i = 0; i < removals!; i++) index.remove(move(held, rest));
      check(held);
    }
  }

  function wordKey(value: number, prefix: number): EntryKey {
    const none = new Int32Array(1);
    return { values: Int32Array.of(value), masks: none, lows: none, highs: none, prefix, priority: 0 };
  }

  it("exact: every entry is found with its record, and no other", () => {
    const random = new Random(3);
    const shape = keyShape([{ name: "f", kind: "exact", width: 32 }]);
    const values = [...new Set(Array.from({ length: ENTRIES }, () => random.int(2 ** 17)))];
    const index = indexOf(shape);
    const find = finder(shape);
    churn(
      random,
      values.map((value) => wordKey(value, 0)),
      index,
      (held) => {
        const here = new Map(held.map((number) => [values[number]!, number]));
        for (let value = 0; value < 2 ** 17; value += 5)
          if (find(index, Int32Array.of(value)) !== (here.get(value) ?? -1)) expect.fail(`key ${value}`);
        for (const [value, number] of here) expect(find(index, Int32Array.of(value))).toBe(number);
      },
    );
  });

  it("longest prefix: the answers are those of a search, length by length", () => {
    const random = new Random(4);
    const shape = keyShape([{ name: "f", kind: "lpm", width: 32 }]);
    const cut = (value: number, length: number) => (length === 0 ? 0 : value & (-1 << (32 - length)));
    const named = new Map<string, [number, number]>();
    while (named.size < ENTRIES) {
      // Half of them crowded, so that they lie within one another.
      const spread = random.int(2) === 0 ? 2 ** 32 : 2 ** 16;
      const length = random.int(33);
      const value = cut(random.int(spread) | (spread === 2 ** 32 ? 0 : 0x0a000000), length);
      if (length > 8 || random.int(8) === 0) named.set(`${value}/${length}`, [value, length]);
    }
    const prefixes = [...named.values()];
    const index = indexOf(shape);
    const find = finder(shape);
    churn(
      random,
      prefixes.map(([value, length]) => wordKey(value, length)),
      index,
      (held) => {
        const here = new Map(held.map((number) => [prefixes[number]!.join("/"), number]));
        const model = (key: number) => {
          for (let length = 32; length >= 0; length--) {
            const found = here.get(`${cut(key, length)}/${length}`);
            if (found !== undefined) return found;
          }
          return -1;
        };
        for (let i = 0; i < 8000; i++) {
          const near = prefixes[random.int(prefixes.length)]![0];
          const key = (random.int(4) === 0 ? random.int(2 ** 32) : near + random.int(300)) | 0;
          if (find(index, Int32Array.of(key)) !== model(key)) expect.fail(`key ${key >>> 0}`);
        }
      },
    );
  });

  /** All entries that match a key, the winning one first. */
  function winners(
    held: readonly number[],
    matches: (entry: number) => boolean,
    priority: (n: number) => number,
  ) {
    return held.filter(matches).sort((a, b) => priority(b) - priority(a) || a - b);
  }

  it("ternary: among equal priorities the smaller number wins, at any number of entries", () => {
    const random = new Random(6);
    const shape = keyShape([{ name: "f", kind: "ternary", width: 5 }]);
    const none = new Int32Array(1);
    // Every value under every mask, twice as many priorities as one entry needs: most keys have ties.
    const named = new Map<string, EntryKey>();
    for (let mask = 0; mask < 32; mask++)
      for (let value = 0; value < 32; value++)
        for (const priority of [1, 2])
          named.set(`${value & mask}/${mask}/${priority}`, {
            values: Int32Array.of(value & mask),
            masks: Int32Array.of(mask),
            lows: none,
            highs: none,
            prefix: 0,
            priority,
          });
    const keys = [...named.values()];
    const find = finder(shape);
    const check = (index: Index, held: readonly number[]) => {
      for (let key = 0; key < 32; key++) {
        const matches = (n: number) => (key & keys[n]!.masks[0]!) === keys[n]!.values[0];
        const [best] = winners(held, matches, (n) => keys[n]!.priority);
        if (find(index, Int32Array.of(key)) !== (best ?? -1))
          expect.fail(`key ${key} of ${held.length} entries`);
      }
    };
    const many = indexOf(shape);
    churn(random, keys, many, (held) => check(many, held));
    // Up and down through the number at which the search changes.
    for (let round = 0; round < 20; round++) {
      const index = indexOf(shape);
      const held: number[] = [];
      for (let step = 0; step < 120; step++) {
        const grows = step % 60 < 30;
        if (grows) {
          const number = random.int(keys.length);
          if (held.includes(number)) continue;
          put(index, number, keys[number]!);
          held.push(number);
        } else if (held.length > 0) index.remove(held.splice(random.int(held.length), 1)[0]!);
        check(index, held);
      }
    }
  });

  it("ternary: thousands of entries with a mask each are found in the order of winning", () => {
    const random = new Random(8);
    const shape = keyShape([{ name: "f", kind: "ternary", width: 16 }]);
    const none = new Int32Array(1);
    const keys = Array.from({ length: 3000 }, (_, i): EntryKey => {
      const mask = (i * 21) & 0xffff;
      const values = Int32Array.of(random.int(0x10000) & mask & 0x1111);
      return {
        values,
        masks: Int32Array.of(mask),
        lows: none,
        highs: none,
        prefix: 0,
        priority: 1 + random.int(900),
      };
    });
    const find = finder(shape);
    const index = indexOf(shape);
    churn(random, keys, index, (held) => {
      for (let key = 0; key < 0x1112; key += 61) {
        const matches = (n: number) => (key & keys[n]!.masks[0]!) === keys[n]!.values[0];
        const [best] = winners(held, matches, (n) => keys[n]!.priority);
        if (find(index, Int32Array.of(key)) !== (best ?? -1))
          expect.fail(`key ${key} of ${held.length} entries`);
      }
    });
  });

  it("range: thousands of entries with one masked key are found in the order of winning", () => {
    const random = new Random(7);
    const shape = keyShape([{ name: "f", kind: "range", width: 16 }]);
    const named = new Map<string, EntryKey>();
    while (named.size < 3000) {
      // Around the middle, where both bounds share no bit.
      const low = 0x8000 - 1 - random.int(300);
      const high = 0x8000 + random.int(300);
      const priority = 1 + random.int(4);
      named.set(`${low}/${high}/${priority}`, {
        values: new Int32Array(1),
        masks: new Int32Array(1),
        lows: Int32Array.of(low),
        highs: Int32Array.of(high),
        prefix: 0,
        priority,
      });
    }
    const keys = [...named.values()];
    const find = finder(shape);
    const index = indexOf(shape);
    churn(random, keys, index, (held) => {
      for (let key = 0x8000 - 320; key < 0x8000 + 320; key += 7) {
        const matches = (n: number) => keys[n]!.lows[0]! <= key && key <= keys[n]!.highs[0]!;
        const [best] = winners(held, matches, (n) => keys[n]!.priority);
        if (find(index, Int32Array.of(key)) !== (best ?? -1)) expect.fail(`key ${key}`);
      }
    });
  });

  it("a trie without entries needs no more than it did before", () => {
    const index = new PrefixTrie(32, RECORD);
    const random = new Random(5);
    const keys = Array.from({ length: 2000 }, () => wordKey(random.int(2 ** 32), 17 + random.int(16)));
    const distinct = [
      ...new Map(keys.map((key) => [`${key.values[0]! >> (32 - key.prefix)}/${key.prefix}`, key])).values(),
    ];
    const fill = () =>
      distinct.forEach((key, i) => {
        index.insert(i, key);
      });
    const empty = () =>
      distinct.forEach((_, i) => {
        index.remove(i);
      });
    fill();
    empty();
    fill();
    const { length } = index.slots;
    for (let round = 0; round < 20; round++) {
      empty();
      fill();
    }
    expect(index.slots.length).toBe(length);
  });
});
