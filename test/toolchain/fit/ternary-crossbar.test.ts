/**
 * The ternary crossbar: keys of public programs with the numbers of bytes that the open compiler gave them (its resources.json), and what
 * holds of any keys.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Access } from "../../../src/toolchain/fit/model/model.js";
import type { Container, PhvLayout } from "../../../src/toolchain/fit/phv/pack.js";
import { crossbarBytes, ternaryBytes } from "../../../src/toolchain/fit/place/key-bytes.js";
import {
  namesOf,
  type TernaryByte,
  TernaryCrossbar,
} from "../../../src/toolchain/fit/place/ternary-crossbar.js";

/** Bytes of containers: `W9` all four, `H43` both, `B5` its one, `W9:0-1` some of them, `B5h` half of the byte. */
function key(text: string): TernaryByte[] {
  return text.split(" ").flatMap((one) => {
    const [, kind, number, low, high, half] = /^([BHW])(\d+)(?::(\d)(?:-(\d))?)?(h?)$/.exec(one)!;
    const size = { B: 1, H: 2, W: 4 }[kind as "B" | "H" | "W"] as 1 | 2 | 4;
    const first = low === undefined ? 0 : Number(low);
    const last = high !== undefined ? Number(high) : low !== undefined ? first : size - 1;
    return Array.from({ length: last - first + 1 }, (_, i) => ({
      name: `${kind}${number}:${first + i}`,
      align: size,
      phase: first + i,
      isHalf: half === "h",
    }));
  });
}

/** Bytes of the crossbar after each key; undefined: it has no room. */
function filled(...keys: readonly TernaryByte[][]): (number | undefined)[] {
  const crossbar = new TernaryCrossbar();
  return keys.map((one) => (crossbar.place(one) ? crossbar.bytes : undefined));
}

describe("the ternary crossbar", () => {
  // The lists for IPv4 and IPv6 of freeRtr's bf_router.p4: they match ports and ids that both have, and addresses in containers in turn.
  const v4 = "B5 B8 H0 H43 H49 H50 W9 W12";
  const v6 = "B5 H43 H49 H50 W9:0-2 W9:3h W12 W13 W14 W15 W32 W33 W34 W35";

  it("has bytes of two keys once or twice as the groups admit, so that the order of keys tells", () => {
    expect(filled(key(v4), key(v6))).toEqual([18, 55]);
    expect(filled(key(v6), key(v4))[1]).not.toBe(55);
  });

  it("has what a key shares with an earlier one once, where whole groups suit both", () => {
    expect(filled(key("W1 B1"), key("W1 B1"))).toEqual([5, 5]);
    expect(filled(key("B1 B2"), key("B2"))).toEqual([2, 2]);
  });

  it("takes a group and half a byte for a block, and a whole byte between groups for two", () => {
    const bytes = (count: number) => Array.from({ length: count }, (_, i) => `B${i}`).join(" ");
    // Twelve groups of five, and six bytes between them.
    expect(filled(key(bytes(66)))).toEqual([66]);
    expect(filled(key(bytes(67)))).toEqual([undefined]);
    // Of 32 bits, the lowest byte has a place in each fourth byte of the crossbar.
    const lowest = (count: number) => key(Array.from({ length: count }, (_, i) => `W${i}:0`).join(" "));
    expect(filled(lowest(17))).toEqual([17]);
    expect(filled(lowest(18))).toEqual([undefined]);
  });

  it("has no bytes of two ranges in a group, and none of a range between groups", () => {
    const range = (number: number, count: number): TernaryByte[] =>
      Array.from({ length: count }, (_, i) => ({
        name: `r${number}:${i}`,
        align: 1,
        phase: 0,
        range: number,
        isHalf: false,
      }));
    const ranges = (count: number) => Array.from({ length: count }, (_, i) => range(i, 1)).flat();
    expect(filled(ranges(12))).toEqual([12]);
    expect(filled(ranges(13))).toEqual([undefined]);
    expect(filled(range(0, 60))).toEqual([60]);
    expect(filled(range(0, 61))).toEqual([undefined]);
  });

  const bytes = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 12 });
  const keys = fc.array(
    bytes.map((list) =>
      list.map((i) => (i % 3 === 0 ? `B${i}` : i % 3 === 1 ? `H${i}:${i % 2}` : `W${i}:${i % 4}`)),
    ),
    { minLength: 1, maxLength: 5 },
  );

  it("has each byte of a key that it holds, no more than the keys have, and stays as it was where it has no room", () => {
    fc.assert(
      fc.property(keys, (list) => {
        const crossbar = new TernaryCrossbar();
        let most = 0;
        const names = new Set<string>();
        for (const one of list.map((words) => key(words.join(" ")))) {
          const before = crossbar.bytes;
          if (!crossbar.place(one)) {
            expect(crossbar.bytes).toBe(before);
            continue;
          }
          most += one.length;
          for (const name of namesOf(one)) names.add(name);
          expect(crossbar.bytes).toBeGreaterThanOrEqual(names.size);
          expect(crossbar.bytes).toBeLessThanOrEqual(Math.min(66, most));
        }
      }),
    );
  });
});

describe("the bytes of a key", () => {
  /** One container of 16 bits in which two fields of 16 bits take turns, and a third one of 4 bits has its own. */
  const slices = [
    { field: "a", lo: 0, width: 16, at: 0 },
    { field: "b", lo: 0, width: 16, at: 0 },
  ];
  const containers: Container[] = [
    { id: 7, size: 16, gress: "ingress", tagalong: false, slices, overlays: undefined },
    {
      id: 8,
      size: 8,
      gress: "ingress",
      tagalong: false,
      slices: [{ field: "c", lo: 0, width: 8, at: 0 }],
      overlays: undefined,
    },
  ];
  const of = (field: string) => containers.filter((one) => one.slices.some((slice) => slice.field === field));
  const phv: PhvLayout = {
    containers,
    of: (_, field) => of(field),
    touchedBy: (_, { field }) => of(field),
  };
  const access = (field: string, lo: number, width: number): Access => ({ field, lo, width });

  it("are one for each of two fields that take turns in the same bits, and one for a field that is asked for twice", () => {
    const names = (...accesses: Access[]) => crossbarBytes(accesses, "ingress", phv).map(({ name }) => name);
    expect(names(access("a", 0, 16), access("b", 0, 8))).toEqual(["7:0", "7:0", "7:1"]);
    expect(names(access("a", 0, 4), access("b", 4, 4))).toEqual(["7:0"]);
    expect(names(access("a", 0, 16), access("a", 0, 8))).toEqual(["7:0", "7:1"]);
  });

  it("are two for a byte of a range, one for each half, and say where a key has half a byte", () => {
    const of = (kind: "range" | "ternary", lo: number, width: number) =>
      ternaryBytes(
        { gress: "ingress", key: [{ kind, access: access("c", lo, width), name: "c" }] } as never,
        phv,
      );
    expect(of("range", 0, 8)).toHaveLength(2);
    expect(of("range", 0, 4)).toHaveLength(1);
    expect(of("ternary", 4, 4)).toMatchObject([{ name: "8:0", isHalf: true }]);
    expect(of("ternary", 3, 2)).toMatchObject([{ name: "8:0", isHalf: false }]);
  });
});
