import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex } from "../../src/base/index.js";
import { addWords, finishChecksum, foldSum } from "../../src/base/packets/index.js";

describe("Internet checksum", () => {
  it("computes the example of RFC 1071, section 3", () => {
    const bytes = fromHex("0001f203f4f5f6f7")!;
    expect(foldSum(addWords(bytes, 0, 8, 0))).toBe(0xddf2);
    expect(finishChecksum(addWords(bytes, 0, 8, 0))).toBe(0x220d);
  });

  it("folds a carry that the first fold produces", () => {
    expect(foldSum(addWords(fromHex("ffffffff0001")!, 0, 6, 0))).toBe(1);
    expect(foldSum(0x1ffff)).toBe(1);
    expect(foldSum(0xffff)).toBe(0xffff);
  });

  it("takes an odd last byte as the high half of a word", () => {
    expect(addWords(fromHex("010203")!, 0, 3, 0)).toBe(0x0102 + 0x0300);
  });

  it("adds only the bytes from start to end, to the running sum", () => {
    expect(addWords(fromHex("ffff01020304ffff")!, 2, 6, 5)).toBe(0x0102 + 0x0304 + 5);
  });

  it("is zero over data that carries its own checksum", () => {
    const words = fc.uint8Array({ minLength: 2, maxLength: 64 }).filter(({ length }) => length % 2 === 0);
    fc.assert(
      fc.property(words, (data) => {
        const checksum = finishChecksum(addWords(data, 0, data.length, 0));
        const sent = Uint8Array.from([...data, checksum >>> 8, checksum & 0xff]);
        expect(finishChecksum(addWords(sent, 0, sent.length, 0))).toBe(0);
      }),
    );
  });

  it("keeps sums beyond 32 bits exact", () => {
    const sum = 0xffff * 2 ** 30 + 3;
    expect(foldSum(sum)).toBe(Number(BigInt(sum) % 0xffffn));
  });
});
