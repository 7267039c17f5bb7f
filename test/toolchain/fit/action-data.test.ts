/** Action data, by small layouts whose numbers follow from the rules of the hardware: what an instruction takes, and from where. */
import { describe, expect, it } from "vitest";
import {
  dataFormats,
  givenBytes,
  resultBytesOf,
  roundedRam,
} from "../../../src/toolchain/fit/memory/action-data.js";
import type { Access, ActionDatum, ActionModel, Operation } from "../../../src/toolchain/fit/model/model.js";
import type { Container, ContainerSize, PhvLayout } from "../../../src/toolchain/fit/phv/pack.js";
import { loadTarget } from "./golden.js";

const tofino = loadTarget("tofino");

/** Containers of a size, each with its fields as `[field, width, at]`, or `[field, width, at, lo]` for a part of a field. */
type Slices = readonly (readonly [field: string, width: number, at: number, lo?: number])[];
function layout(
  ...list: readonly (readonly [size: ContainerSize, slices: Slices, kind?: "mocha"])[]
): PhvLayout {
  const containers = list.map(
    ([size, slices, kind], id): Container => ({
      id,
      size,
      gress: "ingress",
      tagalong: false,
      slices: slices.map(([field, width, at, lo = 0]) => ({ field, lo, width, at })),
      overlays: undefined,
      ...(kind === "mocha" ? { isMocha: true as const } : {}),
    }),
  );
  const of = (_: string, field: string) =>
    containers.filter(({ slices }) => slices.some((one) => one.field === field));
  return {
    containers,
    of,
    touchedBy: (gress, { field, lo, width }: Access) =>
      of(gress, field).filter(({ slices }) =>
        slices.some((one) => one.field === field && one.lo < lo + width && lo < one.lo + one.width),
      ),
  };
}

const whole = (field: string, width: number): Access => ({ field, lo: 0, width });
const operation = (write: Access, more: Partial<Operation> = {}): Operation => ({
  kind: "set",
  write,
  sources: [],
  data: true,
  source: undefined,
  ...more,
});

/** An action that sets fields to arguments, `[field, width, argument]`, and to constants, `[field, width, value]`. */
function action(
  sets: readonly (readonly [field: string, width: number, value: string | bigint])[],
  more: { readonly operations?: readonly Operation[]; readonly fromBus?: readonly Access[] } = {},
): ActionModel {
  const data: ActionDatum[] = [];
  const operations: Operation[] = [...(more.operations ?? [])];
  for (const [field, width, value] of sets) {
    const target = whole(field, width);
    if (typeof value === "bigint") operations.push(operation(target, { constant: value }));
    else {
      operations.push(operation(target));
      data.push({ bits: width, target, argument: { name: value, lo: 0 } });
    }
  }
  const writes = operations.map(({ write }) => write);
  const fromBus = more.fromBus ?? [];
  return {
    name: "a",
    hit: true,
    isDefault: false,
    memories: [],
    data,
    reads: [],
    writes,
    fromBus,
    arithmetic: [],
    operations,
    source: undefined,
  };
}

const bytes = (phv: PhvLayout, ...actions: ActionModel[]) =>
  dataFormats(actions, "ingress", phv, tofino)[0]!.bytes;

describe("the data of an action", () => {
  it.each([
    [1, 1],
    [8, 1],
    [9, 2],
    [16, 2],
    [17, 4],
    [33, 8],
  ])("of %i bits for no container takes %i bytes, and an index none", (bits, expected) => {
    const target = whole("gone", bits);
    const one = { ...action([]), data: [{ bits, target }] };
    expect(bytes(layout(), one)).toBe(expected);
    expect(bytes(layout(), { ...one, data: [{ bits, target: undefined }] })).toBe(0);
  });

  it("is as large as the largest container that takes the same bits of an argument, once", () => {
    const v = (field: string) => [field, 8, "v"] as const;
    const two = (first: ContainerSize, second: ContainerSize) =>
      bytes(layout([first, [["f", 8, 0]]], [second, [["g", 8, 0]]]), action([v("f"), v("g")]));
    expect([two(8, 8), two(16, 16), two(8, 16), two(8, 32)]).toEqual([1, 2, 2, 4]);
    // Other bits of the argument: the halves of one field.
    const halves = layout([8, [["f", 8, 0]]], [8, [["f", 8, 0, 8]]]);
    expect(bytes(halves, action([["f", 16, "v"]]))).toBe(2);
    // At another place of the container, from which the instruction turns it.
    expect(bytes(layout([16, [["f", 8, 0]]], [16, [["g", 8, 8]]]), action([v("f"), v("g")]))).toBe(2);
    // Not where other bits of the container make its place firm.
    const logic = operation(whole("x", 8), { kind: "logic", sources: [whole("x", 8)] });
    const beside = layout(
      [16, [["f", 8, 0]]],
      [
        16,
        [
          ["x", 8, 0],
          ["g", 8, 8],
        ],
      ],
    );
    expect(bytes(beside, action([v("f"), ["g", 8, "w"]], { operations: [logic] }))).toBe(4);
  });

  it("has constants of its container with it", () => {
    const phv = layout(
      [
        8,
        [
          ["f", 4, 0],
          ["c", 4, 4],
        ],
      ],
      [8, [["g", 4, 0]]],
    );
    expect(
      bytes(
        phv,
        action([
          ["f", 4, "v"],
          ["g", 4, "v"],
        ]),
      ),
    ).toBe(1);
    expect(
      bytes(
        phv,
        action([
          ["f", 4, "v"],
          ["g", 4, "v"],
          ["c", 4, 5n],
        ]),
      ),
    ).toBe(1);
  });

  it("is none for constants of a whole container within 21 bits, which an instruction holds", () => {
    const constant = (value: bigint, phv = layout([32, [["f", 32, 0]]])) => {
      const one = action([["f", 32, value]]);
      return bytes(phv, { ...one, data: [{ bits: 32, target: one.writes[0]! }] });
    };
    expect([0n, 2n ** 21n - 1n, 2n ** 21n, 2n ** 32n - 1n].map((value) => constant(value))).toEqual([
      0, 0, 4, 4,
    ]);
    // Of a mocha container it holds what a source of an instruction does.
    const mocha = layout([32, [["f", 32, 0]], "mocha"]);
    expect([7n, 8n, 2n ** 32n - 8n].map((value) => constant(value, mocha))).toEqual([0, 4, 0]);
    // Two constants are one value of the container: 16 + 5 bits, and one more.
    const halves = layout([
      32,
      [
        ["lo", 16, 0],
        ["hi", 16, 16],
      ],
    ]);
    const both = (high: bigint) => {
      const one = action([
        ["lo", 16, 0n],
        ["hi", 16, high],
      ]);
      return bytes(halves, { ...one, data: [{ bits: 16, target: one.writes[1]! }] });
    };
    expect([both(31n), both(32n)]).toEqual([0, 4]);
  });

  describe("for bits with others between them", () => {
    const sets = [
      ["a", 2, "v"],
      ["c", 2, "w"],
    ] as const;
    const between = (size: ContainerSize, name = "x"): PhvLayout =>
      layout([
        size,
        [
          ["a", 2, 0],
          [name, 2, 2],
          ["c", 2, 4],
          ["rest", 2, 6],
        ],
      ]);

    it("takes a mask beside it", () => {
      expect(bytes(between(8), action(sets))).toBe(2);
      expect(bytes(between(16), action(sets))).toBe(4);
      // Bits that nothing has do not count, and bits side by side are no mask.
      expect(
        bytes(
          layout([
            8,
            [
              ["a", 2, 0],
              ["c", 2, 4],
            ],
          ]),
          action(sets),
        ),
      ).toBe(1);
      expect(
        bytes(
          layout([
            8,
            [
              ["a", 2, 0],
              ["c", 2, 2],
              ["x", 2, 4],
            ],
          ]),
          action(sets),
        ),
      ).toBe(1);
    });

    it("takes none for whole bytes, which come from two sources", () => {
      const phv = layout([
        32,
        [
          ["a", 8, 0],
          ["x", 8, 8],
          ["c", 8, 16],
          ["rest", 8, 24],
        ],
      ]);
      expect(
        bytes(
          phv,
          action([
            ["a", 8, "v"],
            ["c", 8, "w"],
          ]),
        ),
      ).toBe(4);
    });

    it("takes one between bits of validity, too, and none where the action computes others of its bits", () => {
      expect(bytes(between(8, "h.$valid$"), action(sets))).toBe(2);
      const logic = operation(whole("rest", 2), { kind: "logic", sources: [whole("rest", 2)] });
      expect(bytes(between(8), action(sets, { operations: [logic] }))).toBe(1);
    });
  });
});

describe("the action data bus", () => {
  const containers = layout(
    ...([8, 8, 8, 8, 16, 16, 32] as const).map((size, i) => [size, [[`f${i}`, size, 0]]] as const),
  );
  const WIDTHS = [8, 8, 8, 8, 16, 16, 32];
  const given = (...lists: readonly number[][]) =>
    givenBytes(
      lists.map((list) => action([], { fromBus: list.map((i) => whole(`f${i}`, WIDTHS[i]!)) })),
      "ingress",
      containers,
    );

  it("has a word where another action has two halves or four bytes, not where it has fewer", () => {
    expect(given([6], [4, 5])).toBe(4);
    expect(given([6], [4])).toBe(6);
    expect(given([6], [0, 1, 2, 3])).toBe(4);
    expect(given([6], [0, 1, 2])).toBe(7);
    // One action has all at once.
    expect(given([6, 4, 5])).toBe(8);
  });

  it("has a result once where its field stands in two containers in turn", () => {
    const turned = layout([8, [["f", 8, 0]]], [8, [["f", 8, 0]]], [8, [["g", 8, 0]]]);
    expect(resultBytesOf([[whole("f", 8)]], "ingress", turned)).toBe(1);
    expect(resultBytesOf([[whole("f", 8), whole("g", 8)]], "ingress", turned)).toBe(2);
  });
});

describe("formats of action data", () => {
  /** Arguments of these widths, each in a container of its own of the least size. */
  const formats = (widths: readonly number[], fromBus = false) => {
    const size = (bits: number): ContainerSize => (bits <= 8 ? 8 : bits <= 16 ? 16 : 32);
    const phv = layout(...widths.map((bits, i) => [size(bits), [[`f${i}`, bits, 0]]] as const));
    const one = action(
      widths.map((bits, i) => [`f${i}`, bits, `v${i}`] as const),
      fromBus ? { fromBus: [whole("f0", widths[0]!)] } : {},
    );
    return dataFormats([one], "ingress", phv, tofino).map(({ immediateBits, ramBytes }) => [
      immediateBits,
      ramBytes,
    ]);
  };

  it("rounds an entry to a power of two, or to words of 16 bytes", () => {
    expect([0, 1, 2, 3, 8, 9, 16, 17, 32, 33].map((one) => roundedRam(one, tofino))).toEqual([
      0, 1, 2, 4, 8, 16, 16, 32, 32, 48,
    ]);
  });

  it("move what halves the entry, within the 32 bits of the match entry", () => {
    // A slot of 8 bits has the 3 bits alone.
    expect(formats([3])).toEqual([
      [0, 1],
      [3, 0],
    ]);
    // A word and a half: the half, then the word; both have 48 bits.
    expect(formats([32, 16])).toEqual([
      [0, 8],
      [16, 4],
      [32, 2],
    ]);
    // Both are in one slot.
    expect(formats([3, 5])).toEqual([
      [0, 1],
      [8, 0],
    ]);
    // The narrower slot comes first there.
    expect(formats([4, 5])).toEqual([
      [0, 2],
      [4, 1],
      [8 + 5, 0],
    ]);
  });

  it("move a word of 16 bytes less of an entry of several words", () => {
    // 36 bytes are three words; 32 are two; the next word has no room.
    expect(formats(Array.from({ length: 9 }, () => 32))).toEqual([
      [0, 48],
      [32, 32],
    ]);
  });

  it("move nothing where an action takes a hash, a random number or a colour", () => {
    expect(formats([8], true)).toEqual([[0, 1]]);
  });
});
