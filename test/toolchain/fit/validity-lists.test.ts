/** Which bits tell the deparser what to send, in which order and container: by models of headers alone. */
import { describe, expect, it } from "vitest";
import type { FitModel, Gress } from "../../../src/toolchain/fit/model/model.js";
import type { AllocationInput } from "../../../src/toolchain/fit/phv/allocation.js";
import type { GressUse } from "../../../src/toolchain/fit/phv/gress-use.js";
import { valuePiece } from "../../../src/toolchain/fit/phv/piece.js";
import { validityContainers, validityLists } from "../../../src/toolchain/fit/phv/validity.js";
import { withValidityLists } from "../../../src/toolchain/fit/phv/validity-lists.js";
import { loadTarget } from "./golden.js";

const tofino = loadTarget("tofino");
const tofino2 = loadTarget("tofino2");

interface Shape {
  /** Headers in the order of their declaration; all are sent. */
  readonly headers?: readonly string[];
  /** Headers that the parser extracts, in its order. */
  readonly parsed?: readonly string[];
  /** Headers that the parser or a table of some gress makes valid, beside the parsed ones. */
  readonly carried?: readonly string[];
  readonly notSent?: readonly string[];
  readonly metadata?: readonly string[];
  /** Fields that tables write, by gress; `[field, source]` is a copy. */
  readonly ingress?: readonly (string | readonly [string, string])[];
  readonly egress?: readonly (string | readonly [string, string])[];
  /** Values for the deparser. */
  readonly values?: readonly string[];
}

function modelOf(shape: Shape): FitModel {
  const { headers = [], parsed = [], carried = [], notSent = [], metadata = [], values = [] } = shape;
  const names = [...new Set([...headers, ...parsed, ...carried, ...notSent, ...metadata])];
  const isCarried = (name: string) => parsed.includes(name) || carried.includes(name);
  const units = (["ingress", "egress"] as const).flatMap((gress) =>
    (shape[gress] ?? []).map((one) => {
      const [field, source] = typeof one === "string" ? [one] : one;
      const access = (name: string) => ({ field: name, lo: 0, width: 1 });
      const sources = source === undefined ? [] : [access(source)];
      const operations = [{ kind: "set", write: access(field!), sources, data: false, source: undefined }];
      return { gress, actions: [{ writes: [access(field!)], operations }] };
    }),
  );
  return {
    units,
    headers: new Map(names.map((name) => [name, { name, metadata: metadata.includes(name) }])),
    forDeparser: new Set(values),
    parser: {
      inOrder: new Set(parsed),
      isIn: (_: Gress, name: string) => name !== "elsewhere",
      isCarried: (_: Gress, name: string) => isCarried(name),
      isSent: (_: Gress, name: string) => !notSent.includes(name),
    },
    program: {
      architecture: { pipes: [{ ingress: { fields: { "deparser.mirror_type": ["dp", "mirror"] } } }] },
    },
  } as unknown as FitModel;
}

const containersOf = (shape: Shape, gress: Gress = "ingress") => [
  ...validityContainers(modelOf(shape), gress, tofino2),
];
const namesOf = (shape: Shape, gress?: Gress) => containersOf(shape, gress).map(([name]) => name);
const valid = (...names: string[]) => names.map((name) => `${name}.$valid$`);
const many = (count: number) => Array.from({ length: count }, (_, i) => `h${i}`);

describe("bits for the deparser of a Tofino 2", () => {
  it("come in the order of the parser, then of the tables that set them, then of those that only the other gress sets", () => {
    const shape: Shape = {
      headers: ["other", "x", "y", "b", "a"],
      parsed: ["a", "b"],
      carried: ["other", "x", "y"],
      ingress: valid("y", "x"),
    };
    expect(namesOf(shape)).toEqual(valid("a", "b", "y", "x", "other"));
  });

  it("are those of headers that a packet may have and the deparser sends", () => {
    const shape: Shape = {
      headers: ["never", "a"],
      parsed: ["a", "kept"],
      notSent: ["kept"],
      metadata: ["meta"],
      carried: ["meta"],
    };
    expect(namesOf(shape)).toEqual(valid("a"));
  });

  it("begin with values for the deparser that tables of the gress set, and the kind of mirror of ingress in any case", () => {
    const shape: Shape = {
      parsed: ["a"],
      values: ["dp.digest", "dp.mirror", "dp.drop"],
      ingress: ["dp.drop"],
      egress: ["dp.digest"],
    };
    expect(namesOf(shape)).toEqual(["dp.mirror", "dp.drop", ...valid("a")]);
    expect(namesOf(shape, "egress")).toEqual(["dp.digest", ...valid("a")]);
  });

  it("are in no list where they are copied, with what they are copied from", () => {
    const shape: Shape = { parsed: ["a", "b", "c"], ingress: [["a.$valid$", "b.$valid$"], "c.$valid$"] };
    expect(namesOf(shape)).toEqual(valid("c"));
  });

  it.each([
    // 16 in the first of two containers, the rest and the bits of checksums in one of eight.
    [18, 2, [2, 2]],
    [22, 3, [2, 2, 3]],
    [24, 1, [3]],
    // One container of 32: those of checksums have one of their own.
    [10, 2, [4, 4]],
    [25, 1, [4]],
    [32, 1, [4]],
    // A full list and one of 18 more.
    [50, 1, [8]],
  ])("of %i headers leave the container of %i bits of checksums: %j", (count, checks, expected) => {
    const bits = Array.from({ length: checks }, (_, i) => `sum.$updated_${i}$`);
    const list = containersOf({ parsed: many(count), ingress: bits });
    expect(list.slice(count)).toEqual(bits.map((bit, i) => [bit, expected[i]]));
  });

  it.each([
    [16, [0]],
    [17, [0, 2]],
    [24, [0, 2]],
    [25, [0]],
    [33, [0, 4]],
    [32 + 17, [0, 4, 6]],
    [32 + 25, [0, 4]],
  ])("of %i headers stand in the containers that begin at the bytes %j", (count, bytes) => {
    expect([...new Set(containersOf({ parsed: many(count) }).map(([, at]) => at))]).toEqual(bytes);
  });
});

describe("bits for the deparser of a Tofino 1", () => {
  const listsOf = (shape: Shape) => [...validityLists(modelOf(shape), "ingress", tofino)];

  it("are lists of 32 in the order of the headers of the gress, and behind them those of checksums", () => {
    const headers = many(40);
    const lists = listsOf({
      headers: [...headers, "elsewhere"],
      metadata: ["meta"],
      ingress: ["sum.$updated_0$"],
    });
    expect(lists.map(([name]) => name)).toEqual([...valid(...headers), "sum.$updated_0$"]);
    expect(lists.map(([, list]) => list)).toEqual(headers.map((_, i) => (i < 32 ? 0 : 1)).concat(1));
  });

  it("have none for values, which tell by their containers", () => {
    const shape: Shape = { headers: ["a"], values: ["dp.drop", "dp.mirror"], ingress: ["dp.drop"] };
    expect(listsOf(shape).map(([name]) => name)).toEqual(valid("a"));
    const second = [...validityLists(modelOf(shape), "ingress", tofino2)];
    expect(second.map(([name]) => name)).toEqual(["dp.mirror", "dp.drop", ...valid("a")]);
  });
});

describe("lists of a Tofino 1", () => {
  it("have neither bits of checksums nor bits that are copied", () => {
    const model = modelOf({
      headers: ["a", "b", "c", "d"],
      parsed: ["a", "b", "c", "d"],
      ingress: [["c.$valid$", "b.$valid$"], "a.sum.$original$"],
    });
    const use = { gress: "ingress", operations: [] } as unknown as GressUse;
    const bits = [...valid("a", "b", "c", "d"), "a.sum.$original$"];
    const pieces = withValidityLists(
      { model, target: tofino } as unknown as AllocationInput,
      use,
      bits.map((field) => valuePiece("ingress", { field, lo: 0, width: 1 }, false)),
    );
    const names = pieces.map(({ slices }) => slices.map(({ field }) => field));
    expect(names).toEqual([["a.sum.$original$"], ...valid("b", "c").map((bit) => [bit]), valid("a", "d")]);
  });
});
