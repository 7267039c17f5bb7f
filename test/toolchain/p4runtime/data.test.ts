/** Values of registers and digests as `P4Data` (P4Runtime specification 8.4), and keys that a client cannot send (9.1.1). */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import type { Match } from "../../../src/toolchain/device/index.js";
import { decodeData, encodeData } from "../../../src/toolchain/p4runtime/codec/data.js";
import { encodeMatches } from "../../../src/toolchain/p4runtime/codec/match.js";
import { CURRENT_DIALECT } from "../../../src/toolchain/p4runtime/codec/ports.js";
import {
  checkId,
  checkLong,
  checkNumber,
  MAX_INT32,
  makeWire,
} from "../../../src/toolchain/p4runtime/codec/wire.js";
import { type P4Data, P4DataSchema } from "../../../src/toolchain/p4runtime/generated/p4/v1/p4data_pb.js";
import { createP4Info, P4InfoIndex, type p4types } from "../../../src/toolchain/program/index.js";
import { codeOf, cpuProgram, refusal, wireOf } from "./helpers.js";

type Spec = p4types.P4DataTypeSpec;

const typed = (typeSpec: unknown): Spec => ({ typeSpec }) as Spec;
const bit = (bitwidth: number) =>
  typed({ case: "bitstring", value: { typeSpec: { case: "bit", value: { bitwidth } } } });
const int = (bitwidth: number) =>
  typed({ case: "bitstring", value: { typeSpec: { case: "int", value: { bitwidth } } } });
const bool = typed({ case: "bool", value: {} });
const named = (kind: "newType" | "serializableEnum" | "struct" | "header", name: string) =>
  typed({ case: kind, value: { name } });
const tuple = (...members: Spec[]) => typed({ case: "tuple", value: { members } });

const wire = makeWire(
  new P4InfoIndex(
    createP4Info({
      typeInfo: {
        structs: {
          pair: {
            members: [
              { name: "a", typeSpec: bit(8) },
              { name: "b", typeSpec: bool },
            ],
          },
        },
        newTypes: {
          nine: { representation: { case: "originalType", value: bit(9) } },
          again: { representation: { case: "originalType", value: named("newType", "nine") } },
          endless: { representation: { case: "originalType", value: named("newType", "endless") } },
        },
        serializableEnums: { five: { underlyingType: { bitwidth: 5 } } },
      },
    }),
  ),
  CURRENT_DIALECT,
  false,
);

const data = (kind: string, value: unknown): P4Data =>
  create(P4DataSchema, { data: { case: kind, value } as never });
const bytes = (...list: number[]) => data("bitstring", Uint8Array.of(...list));
const members = (kind: "struct" | "tuple", ...list: P4Data[]) => data(kind, { members: list });
const decode = (spec: Spec, message: P4Data | undefined) => decodeData(wire, spec, message, "r");

describe("a value of P4Data", () => {
  it.each<[string, Spec, bigint[], P4Data]>([
    ["bits", bit(9), [256n], bytes(1, 0)],
    ["a signed number, by its bits", int(12), [0xfffn], bytes(0xff)],
    ["a Boolean", bool, [1n], data("bool", true)],
    ["the other Boolean", bool, [0n], data("bool", false)],
    ["a member of an enum", named("serializableEnum", "five"), [31n], data("enumValue", Uint8Array.of(31))],
    ["a new type", named("newType", "nine"), [511n], bytes(1, 255)],
    ["a new type of a new type", named("newType", "again"), [5n], bytes(5)],
    ["a struct", named("struct", "pair"), [7n, 1n], members("struct", bytes(7), data("bool", true))],
    [
      "a tuple in a tuple",
      tuple(bit(1), tuple(bool)),
      [1n, 0n],
      members("tuple", bytes(1), members("tuple", data("bool", false))),
    ],
  ])("is %s", (_, spec, values, message) => {
    expect(encodeData(wire, spec, values, "r")).toEqual(message);
    expect(decode(spec, message)).toEqual(values);
  });

  it("may be a bit string where BMv2 sends the member of an enum so, and a tuple for a struct", () => {
    expect(decode(named("serializableEnum", "five"), bytes(3))).toEqual([3n]);
    expect(decode(named("struct", "pair"), members("tuple", bytes(7), data("bool", false)))).toEqual([
      7n,
      0n,
    ]);
  });

  it.each<[string, Spec, P4Data | undefined, string]>([
    ["nothing", bit(9), undefined, "INVALID_ARGUMENT"],
    ["no data", bit(9), create(P4DataSchema), "INVALID_ARGUMENT"],
    ["bits too many", bit(9), bytes(2, 0), "OUT_OF_RANGE"],
    ["no bytes", bit(9), bytes(), "OUT_OF_RANGE"],
    ["nothing for an enum", named("serializableEnum", "five"), undefined, "INVALID_ARGUMENT"],
    ["nothing for a struct", named("struct", "pair"), undefined, "INVALID_ARGUMENT"],
    ["nothing for a Boolean", bool, undefined, "INVALID_ARGUMENT"],
    [
      "bits without a width",
      typed({ case: "bitstring", value: { typeSpec: {} } }),
      bytes(1),
      "UNIMPLEMENTED",
    ],
    ["a Boolean for bits", bit(1), data("bool", true), "INVALID_ARGUMENT"],
    ["bits for a Boolean", bool, bytes(1), "INVALID_ARGUMENT"],
    [
      "a number beyond an enum",
      named("serializableEnum", "five"),
      data("enumValue", Uint8Array.of(32)),
      "OUT_OF_RANGE",
    ],
    ["a Boolean for an enum", named("serializableEnum", "five"), data("bool", true), "INVALID_ARGUMENT"],
    ["bits for a struct", named("struct", "pair"), bytes(1), "INVALID_ARGUMENT"],
    ["a member less", named("struct", "pair"), members("struct", bytes(1)), "INVALID_ARGUMENT"],
    [
      "a member more",
      tuple(bool),
      members("tuple", data("bool", true), data("bool", true)),
      "INVALID_ARGUMENT",
    ],
    ["a header", named("header", "h"), members("struct"), "UNIMPLEMENTED"],
    ["an enum that P4Info does not describe", named("serializableEnum", "x"), bytes(1), "UNIMPLEMENTED"],
    ["a struct that P4Info does not describe", named("struct", "x"), members("struct"), "UNIMPLEMENTED"],
  ])("is refused: %s", async (_, spec, message, code) => {
    expect(await codeOf(() => decode(spec, message))).toBe(code);
  });

  it("takes exactly the values of its type", async () => {
    for (const values of [[1n], [1n, 0n, 0n]])
      expect(await codeOf(() => encodeData(wire, named("struct", "pair"), values, "r"))).toBe(
        "INVALID_ARGUMENT",
      );
    expect(await codeOf(() => encodeData(wire, bit(4), [16n], "r"))).toBe("OUT_OF_RANGE");
    expect(await codeOf(() => encodeData(wire, named("serializableEnum", "five"), [32n], "r"))).toBe(
      "OUT_OF_RANGE",
    );
    for (const spec of [named("header", "h"), named("serializableEnum", "x"), named("struct", "x")])
      expect(await codeOf(() => encodeData(wire, spec, [0n], "r"))).toBe("UNIMPLEMENTED");
  });

  it("of a type that names itself is refused, in both directions", async () => {
    expect((await refusal(() => decode(named("newType", "endless"), bytes(1)))).message).toContain(
      "nested too deep",
    );
    expect(await codeOf(() => encodeData(wire, named("newType", "endless"), [1n], "r"))).toBe(
      "INVALID_ARGUMENT",
    );
  });
});

describe("a key that is sent", () => {
  const client = wireOf(cpuProgram(), true);
  const filters = [...client.index.tables.list].find(({ name }) => name === "TheIngress.filters")!;
  const types = [...client.index.tables.list].find(({ name }) => name === "TheIngress.types")!;

  it.each<[string, typeof types, Match, RegExp | undefined]>([
    [
      "a prefix of all bits",
      types,
      { kind: "lpm", field: "hdr.eth.type", value: 1n, prefixLength: 16 },
      undefined,
    ],
    [
      "a prefix of none",
      types,
      { kind: "lpm", field: "hdr.eth.type", value: 0n, prefixLength: 0 },
      undefined,
    ],
    [
      "a prefix too long",
      types,
      { kind: "lpm", field: "hdr.eth.type", value: 1n, prefixLength: 17 },
      /prefix length 17 is not within 0 to 16/,
    ],
    [
      "a negative prefix",
      types,
      { kind: "lpm", field: "hdr.eth.type", value: 1n, prefixLength: -1 },
      /prefix length -1/,
    ],
    [
      "a part of a prefix bit",
      types,
      { kind: "lpm", field: "hdr.eth.type", value: 1n, prefixLength: 1.5 },
      /prefix length 1\.5/,
    ],
    [
      "a field of another kind",
      types,
      { kind: "exact", field: "hdr.eth.type", value: 1n },
      /is matched lpm, not exact/,
    ],
    [
      "a field that is not there",
      types,
      { kind: "exact", field: "x", value: 1n },
      /no key field "x"; its fields: hdr\.eth\.type/,
    ],
    [
      "a mask too wide",
      filters,
      { kind: "ternary", field: "hdr.eth.src", value: 0n, mask: 1n << 48n },
      /does not fit 48 bits/,
    ],
    [
      "a bound too high",
      filters,
      { kind: "range", field: "hdr.eth.type", low: 0n, high: 1n << 16n },
      /does not fit 16 bits/,
    ],
    [
      "a low bound too high",
      filters,
      { kind: "range", field: "hdr.eth.type", low: 1n << 16n, high: 1n },
      /does not fit 16 bits/,
    ],
  ])("%s", async (_, table, match, message) => {
    const send = () => encodeMatches(client, table, [match]);
    if (message === undefined) expect(send()).toHaveLength(1);
    else expect((await refusal(send)).message).toMatch(message);
  });
});

describe("numbers of the wire", () => {
  it("are taken up to their bounds", async () => {
    expect([
      checkNumber(0, "n"),
      checkNumber(2 ** 32 - 1, "n"),
      checkNumber(MAX_INT32, "n", MAX_INT32),
    ]).toEqual([0, 2 ** 32 - 1, 2 ** 31 - 1]);
    expect([
      checkLong(0n, "n"),
      checkLong(2n ** 63n - 1n, "n"),
      checkId(1, "n"),
      checkId(2 ** 32 - 1, "n"),
    ]).toEqual([0n, 2n ** 63n - 1n, 1, 2 ** 32 - 1]);
    for (const wrong of [-1, 0.5, 2 ** 32]) {
      expect(await codeOf(() => checkNumber(wrong, "n"))).toBe("INVALID_ARGUMENT");
      expect(await codeOf(() => checkId(wrong, "n"))).toBe("INVALID_ARGUMENT");
    }
    expect(await codeOf(() => checkId(0, "n"))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(() => checkNumber(2 ** 31, "n", MAX_INT32))).toBe("INVALID_ARGUMENT");
    for (const wrong of [-1n, 2n ** 63n])
      expect(await codeOf(() => checkLong(wrong, "n"))).toBe("INVALID_ARGUMENT");
  });
});
