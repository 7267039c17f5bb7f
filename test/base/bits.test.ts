import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bitLength,
  fromBytes,
  fromHex,
  maskOf,
  toBytes,
  toHex,
  toSigned,
  toUnsigned,
} from "../../src/base/index.js";

const width = fc.integer({ min: 1, max: 200 });
const natural = fc.bigInt({ min: 0n, max: (1n << 200n) - 1n });

describe("bit values", () => {
  it("masks", () => {
    expect(maskOf(0)).toBe(0n);
    expect(maskOf(9)).toBe(511n);
    expect(maskOf(128)).toBe(0xffffffffffffffffffffffffffffffffn);
  });

  it("cuts and signs agree modulo 2^width", () => {
    fc.assert(
      fc.property(fc.bigInt(), width, (value, w) => {
        const unsigned = toUnsigned(value, w);
        const signed = toSigned(value, w);
        expect((value - unsigned) % (1n << BigInt(w))).toBe(0n);
        expect(toUnsigned(signed, w)).toBe(unsigned);
        expect(signed >= -(1n << BigInt(w - 1)) && signed < 1n << BigInt(w - 1)).toBe(true);
      }),
    );
  });

  it("measures length", () => {
    expect([0n, 1n, 2n, 255n, 256n].map(bitLength)).toEqual([0, 1, 2, 8, 9]);
  });

  it("spells bytes big-endian and back", () => {
    expect(toHex(toBytes(0x0a0b0cn, 4))).toBe("000a0b0c");
    const long = Uint8Array.from({ length: 10_000 }, (_, i) => i);
    expect(toHex(long)).toBe(Buffer.from(long).toString("hex"));
    fc.assert(fc.property(natural, (value) => fromBytes(toBytes(value, 25)) === value));
  });

  it("reads hexadecimal and refuses what is none", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromHex(toHex(bytes))).toEqual(bytes);
      }),
    );
    for (const wrong of ["a", "0g", " 00", "0x"]) expect(fromHex(wrong)).toBeUndefined();
  });
});
