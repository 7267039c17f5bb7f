import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/index.js";
import { Names } from "../../../src/toolchain/device/index.js";
import {
  bytesToValue,
  decodeSigned,
  decodeSlot,
  encodeSigned,
  encodeSlot,
  encodeValue,
} from "../../../src/toolchain/p4runtime/codec/bytes.js";
import { codeOf } from "./helpers.js";

const bytes = (hex: string): Uint8Array => fromHex(hex)!;
const what = (): string => "x";
const none = new Names(undefined);
const slot = (bitwidth: number) => ({ bitwidth, isString: false });

describe("byte strings of the standard's tables", () => {
  it.each([
    [8, "63", 0x63n],
    [16, "0063", 0x63n],
    [16, "63", 0x63n],
    [16, "3064", 0x3064n],
    [16, "003064", 0x3064n],
    [12, "0063", 0x63n],
    [12, "000063", 0x63n],
  ])("bit<%i> takes %s", (width, hex, value) => {
    expect(decodeSlot(none, bytes(hex), slot(width), what)).toBe(value);
  });

  it.each([
    [8, "63", 99],
    [8, "9d", -99],
    [8, "ff9d", -99],
    [12, "fd1d", -739],
    [16, "0000", 0],
  ])("int<%i> takes %s", (width, hex, value) => {
    expect(BigInt.asIntN(width, decodeSigned(bytes(hex), width, what))).toBe(BigInt(value));
  });

  it.each([
    [8, "0163"],
    [8, ""],
    [16, "010063"],
    [12, "1063"],
    [12, "010063"],
    [12, "004063"],
  ])("bit<%i> refuses %s", async (width, hex) => {
    expect(await codeOf(() => decodeSlot(none, bytes(hex), slot(width), what))).toBe("INVALID_ARGUMENT");
  });

  it.each([
    [8, "009d"],
    [12, "8d1d"],
    [16, ""],
  ])("int<%i> refuses %s", async (width, hex) => {
    expect(await codeOf(() => decodeSigned(bytes(hex), width, what))).toBe("OUT_OF_RANGE");
  });

  it.each([
    [0n, "00"],
    [0x63n, "63"],
    [0x100n, "0100"],
    [(1n << 48n) - 1n, "ffffffffffff"],
    [1n << 48n, "01000000000000"],
    [1n << 128n, "0100000000000000000000000000000000"],
  ])("%s is sent as %s", (value, hex) => {
    expect(toHex(encodeValue(value))).toBe(hex);
  });

  it.each([
    [8, -99, "9d"],
    [12, -739, "fd1d"],
    [16, 0, "00"],
    [16, -1, "ff"],
    [16, 128, "0080"],
    [16, -128, "80"],
  ])("int<%i> %i is sent as %s", (width, value, hex) => {
    expect(toHex(encodeSigned(BigInt.asUintN(width, BigInt(value)), width))).toBe(hex);
  });
});

describe("byte strings", () => {
  const numbers = fc
    .integer({ min: 1, max: 200 })
    .chain((width) =>
      fc.record({ width: fc.constant(width), value: fc.bigInt(0n, (1n << BigInt(width)) - 1n) }),
    );

  it("keep every value, padded or not, and are shortest", () => {
    fc.assert(
      fc.property(numbers, fc.nat(5), ({ width, value }, padding) => {
        const short = encodeSlot(none, value, slot(width), what);
        expect(short.length === 1 || short[0] !== 0).toBe(true);
        const long = new Uint8Array(short.length + padding);
        long.set(short, padding);
        expect(decodeSlot(none, long, slot(width), what)).toBe(value);
        expect(bytesToValue(long)).toBe(value);
        expect(decodeSigned(encodeSigned(value, width), width, what)).toBe(value);
      }),
    );
  });

  it("refuse what is too wide, negative, or a string", async () => {
    await fc.assert(
      fc.asyncProperty(numbers, async ({ width, value }) => {
        const tooWide = value + (1n << BigInt(width));
        expect(await codeOf(() => encodeSlot(none, tooWide, slot(width), what))).toBe("INVALID_ARGUMENT");
        expect(
          await codeOf(() => decodeSlot(none, encodeValue(tooWide), slot(width), what, "OUT_OF_RANGE")),
        ).toBe("OUT_OF_RANGE");
      }),
    );
    expect(await codeOf(() => encodeSlot(none, -1n, slot(8), what))).toBe("INVALID_ARGUMENT");
  });
});
