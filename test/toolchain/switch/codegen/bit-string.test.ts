/** Bit strings against integers: bits are in the order of the network, the most significant first. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  getBits,
  loadVarbit,
  putBits,
  putVarbit,
} from "../../../../src/toolchain/switch/codegen/bit-string.js";

/** The bytes as one integer. */
const integer = (bytes: Uint8Array): bigint =>
  bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);

const BYTES = 40;
const part = fc.record({ word: fc.integer(), count: fc.integer({ min: 0, max: 32 }) });

it("holds parts one after another, from any bit on, and gives them back", () => {
  fc.assert(
    fc.property(fc.nat(31), fc.array(part, { maxLength: 8 }), (start, parts) => {
      const bytes = new Uint8Array(BYTES);
      let at = start;
      let expected = 0n;
      for (const { word, count } of parts) {
        const next = putBits(bytes, at, word, count);
        expect(next).toBe(at + count);
        at = next;
        expected = (expected << BigInt(count)) | BigInt.asUintN(count, BigInt(word));
      }
      expect(integer(bytes)).toBe(expected << BigInt(8 * BYTES - at));
      at = start;
      for (const { word, count } of parts) {
        expect(BigInt.asUintN(count, BigInt(getBits(bytes, at, count)))).toBe(
          BigInt.asUintN(count, BigInt(word)),
        );
        at += count;
      }
    }),
  );
});

it("moves a varbit of any whole bytes between a frame and its words, without bits of what follows", () => {
  const bits = fc.integer({ min: 0, max: 12 }).map((bytes) => 8 * bytes);
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 20, maxLength: 20 }),
      fc.nat(40),
      bits,
      fc.nat(40),
      (frame, from, length, to) => {
        const words = 1 + 3;
        const phv = new Int32Array(1 + words + 1).fill(-1);
        loadVarbit(phv, 1, words, frame, from, length);
        const value = (integer(frame) >> BigInt(160 - from - length)) & ((1n << BigInt(length)) - 1n);
        const held = [...phv.subarray(2, 1 + words)].reduce(
          (sum, word) => (sum << 32n) | BigInt(word >>> 0),
          0n,
        );
        expect(phv[1]).toBe(length);
        expect(held).toBe(value << BigInt(96 - length));
        // The words beside those of the varbit are not its own.
        expect([phv[0], phv[1 + words]]).toEqual([-1, -1]);
        const out = new Uint8Array(20);
        expect(putVarbit(out, to, phv, 1)).toBe(to + length);
        expect(integer(out)).toBe(value << BigInt(160 - to - length));
      },
    ),
  );
});
