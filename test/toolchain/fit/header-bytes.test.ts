/** Bytes of headers before they are cut for containers: those that tables touch, wide fields, padding, made fields, zeros that are sent. */
import { describe, expect, it } from "vitest";
import type { Access, FieldInfo, FitModel } from "../../../src/toolchain/fit/model/model.js";
import { FROM_PARSER, TO_DEPARSER } from "../../../src/toolchain/fit/phv/allocation.js";
import type { GressUse } from "../../../src/toolchain/fit/phv/gress-use.js";
import { bytesTouched, isWide, paddingOf } from "../../../src/toolchain/fit/phv/header-bytes.js";
import { MadeFields } from "../../../src/toolchain/fit/phv/made-fields.js";
import { DROP_SESSION } from "../../../src/toolchain/fit/phv/pieces.js";
import { zeroSlices } from "../../../src/toolchain/fit/phv/sent-zeros.js";
import { loadTarget } from "./golden.js";

const field = (name: string, offset: number, width: number, more: Partial<FieldInfo> = {}) =>
  ({
    name,
    header: name.split(".")[0]!,
    offset,
    width,
    metadata: false,
    intrinsic: false,
    ...more,
  }) as FieldInfo;

describe("bytes that tables touch", () => {
  const touched = (one: FieldInfo, accesses: readonly Omit<Access, "field">[], isWhole = false) => [
    ...bytesTouched(
      [one],
      new Map([[one.name, accesses.map((access) => ({ field: one.name, ...access }))]]),
      isWhole,
    ),
  ];
  const odd = field("h.a", 4, 12);

  it("are those of the bits that an access names", () => {
    expect(touched(odd, [{ lo: 0, width: 4 }])).toEqual([1]);
    expect(touched(odd, [{ lo: 0, width: 8 }])).toEqual([1]);
    expect(touched(odd, [{ lo: 8, width: 4 }])).toEqual([0]);
    expect(touched(odd, [{ lo: 7, width: 2 }])).toEqual([0, 1]);
    expect(touched(field("h.b", 16, 24), [{ lo: 8, width: 8 }])).toEqual([3]);
    expect(touched(odd, [])).toEqual([]);
  });

  it("are not before the field, however wide the access is", () => {
    expect(touched(field("h.b", 16, 8), [{ lo: 0, width: 32 }])).toEqual([2]);
    expect(touched(field("h.b", 16, 16), [{ lo: 8, width: 32 }])).toEqual([2]);
  });

  it("are all of a field where values go past the pipeline as a whole", () =>
    expect(touched(field("h.b", 16, 24), [{ lo: 8, width: 8 }], true)).toEqual([2, 3, 4]));
});

describe("a field of three bytes", () => {
  const wide = field("h.a", 8, 24);
  const all = new Set([0, 1, 2, 3, 4]);

  it("is wide where all of them are touched and none is another field's", () => {
    expect(isWide(wide, [wide], all)).toBe(true);
    expect(isWide(wide, [wide, field("h.b", 0, 8), field("h.c", 32, 8)], all)).toBe(true);
    expect(isWide(field("h.a", 4, 18), [], all)).toBe(true);
  });

  it("is not where a byte is not touched, or another field has bits of the first or the last byte", () => {
    for (const byte of [1, 2, 3])
      expect(isWide(wide, [wide], new Set([...all].filter((one) => one !== byte)))).toBe(false);
    const odd = field("h.a", 12, 16);
    expect(isWide(odd, [odd, field("h.b", 0, 12)], all)).toBe(false);
    expect(isWide(odd, [odd, field("h.c", 28, 8)], all)).toBe(false);
    expect(isWide(field("h.a", 8, 16), [], all)).toBe(false);
    expect(isWide(field("h.a", 8, 32), [], all)).toBe(false);
    expect(isWide(field("h.a", 12, 24), [], all)).toBe(false);
  });
});

it("has as padding the fields of a header's type that the program marks", () => {
  const program = {
    headers: [
      { name: "h", header_type: "h_t" },
      { name: "g", header_type: "g_t" },
    ],
    architecture: { paddings: { h_t: ["pad"], g_t: ["b"] } },
  };
  const fields = [field("h.pad", 0, 4), field("h.b", 4, 4)];
  const names = (model: object, header: string) =>
    paddingOf(model as FitModel, header, fields).map(({ name }) => name);
  expect(names({ program }, "h")).toEqual(["h.pad"]);
  expect(names({ program }, "x")).toEqual([]);
  expect(names({ program: { headers: program.headers } }, "h")).toEqual([]);
});

describe("fields of headers that tables make", () => {
  const fields = new Map(
    [
      field("made.a", 0, 8),
      field("made.b", 8, 8),
      field("h.x", 0, 8),
      field("h.y", 8, 8),
      field("m.v", 0, 8, { metadata: true }),
    ].map((one) => [one.name, one] as const),
  );
  const model = { fields, parser: { isMade: (header: string) => header !== "h" } } as unknown as FitModel;
  const accesses = (names: readonly string[]) => names.map((name) => ({ field: name, lo: 0, width: 8 }));
  const of = (key: readonly string[], reads: readonly string[], writes: readonly string[]) => {
    const unit = {
      key: accesses(key).map((access) => ({ access, kind: "exact" })),
      actions: [{ reads: accesses(reads), writes: accesses(writes) }],
    };
    return new MadeFields(model, { units: [unit] } as unknown as GressUse);
  };

  it("meet what a key, an action's reads, or its writes have beside them", () => {
    const pair = ["made.a", "h.x"];
    for (const made of [of(pair, [], []), of([], pair, []), of([], [], pair)])
      expect([made.meet("made.a", "h.x"), made.meet("h.x", "made.a")]).toEqual([true, true]);
    const more = of(["h.x", "made.a", "h.y"], [], []);
    expect([more.meet("h.y", "made.a"), more.meet("made.a", "h.x"), more.meet("h.x", "h.y")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("do not meet what stands in another list, nor themselves", () => {
    const made = of(["made.a"], ["h.x"], ["made.b"]);
    for (const [a, b] of [
      ["made.a", "h.x"],
      ["made.a", "made.b"],
      ["made.b", "h.x"],
      ["made.a", "made.a"],
    ] as const)
      expect(made.meet(a, b)).toBe(false);
    const twice = of(["made.a", "made.a"], [], []);
    expect(twice.meet("made.a", "made.a")).toBe(false);
  });

  it("are no values of metadata, and no fields of headers that come from the packet", () => {
    expect(of(["m.v", "h.x", "h.y"], [], []).meet("m.v", "h.x")).toBe(false);
    expect(of(["h.x", "h.y"], [], []).meet("h.x", "h.y")).toBe(false);
    expect(of(["m.v", "made.a"], [], []).meet("m.v", "made.a")).toBe(true);
  });
});

describe("zeros that are always sent", () => {
  const fields = new Map([["made.a", field("made.a", 4, 13)]]);
  const slicesOf = (hasEgressParser: boolean, gress: "ingress" | "egress", chip: "tofino" | "tofino2") => {
    const sentZeros = { ingress: new Set(["made.a"]), egress: new Set<string>() };
    const model = { fields, sentZeros, hasEgressParser } as unknown as FitModel;
    return zeroSlices(model, loadTarget(chip), gress);
  };
  const live = { from: FROM_PARSER, to: TO_DEPARSER };
  const parts = [
    { field: "made.a", lo: 9, width: 4, at: 0, live },
    { field: "made.a", lo: 1, width: 8, at: 0, live },
    { field: "made.a", lo: 0, width: 1, at: 7, live },
  ];
  const drop = { field: DROP_SESSION, lo: 0, width: 8, at: 0, live };

  it("stand at the bits that they have in their bytes", () => {
    const [first, second] = [slicesOf(true, "ingress", "tofino"), slicesOf(true, "ingress", "tofino2")];
    expect([first, second]).toContainEqual(parts);
    expect([first, second]).toContainEqual([drop, ...parts]);
  });

  it("have no session of dropped packets in egress, or where a program states no egress parser", () => {
    for (const chip of ["tofino", "tofino2"] as const) {
      expect(slicesOf(true, "egress", chip)).toEqual([]);
      expect(slicesOf(false, "ingress", chip)).toEqual(parts);
    }
  });
});
