import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex } from "../../src/base/index.js";
import {
  BitMatrix,
  bmv2Hash,
  Crc,
  findCrc,
  linearPart,
  looksAffine,
  Pearson,
  RTAG7_BINS,
  type Rtag7Function,
  rtag7,
  rtag7Functions,
  rtag7Member,
  sharedRank,
  Toeplitz,
} from "../../src/hash/index.js";
import "../fuzz-seed.js";

describe("Toeplitz", () => {
  // Key and vectors of Microsoft's "Verifying the RSS hash calculation": source, destination, then ports.
  const key = fromHex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")!;

  it.each([
    ["420995bba18e6450", 0x323e8fc2],
    ["420995bba18e64500aea06e6", 0x51ccc178],
  ])("%s", (input, expected) => {
    expect(new Toeplitz(key).hash(fromHex(input)!)).toBe(expected);
  });

  it("refuses keys that are no whole words", () => {
    expect(() => new Toeplitz(key.subarray(0, 7))).toThrow(RangeError);
  });
});

describe("Pearson", () => {
  it("spreads single bytes over all values, and depends on every byte", () => {
    const pearson = Pearson.seeded(1);
    expect(new Set(Array.from({ length: 256 }, (_, i) => pearson.hash8(Uint8Array.of(i)))).size).toBe(256);
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 20 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (bytes, at, change) => {
          const other = bytes.slice();
          other[at % bytes.length]! ^= change;
          expect(pearson.hash8(other)).not.toBe(pearson.hash8(bytes));
        },
      ),
    );
  });

  it("is not affine, and takes permutations only", () => {
    const pearson = Pearson.seeded("x");
    expect(looksAffine({ width: 16, bytes: 4, hash: (input) => pearson.hash(input, 16) })).toBe(false);
    expect(() => new Pearson(new Uint8Array(256))).toThrow(RangeError);
  });

  it("gives the same for the same seed", () => {
    const bytes = Uint8Array.of(1, 2, 3);
    expect(Pearson.seeded(7).hash(bytes, 32)).toBe(Pearson.seeded(7).hash(bytes, 32));
    expect(Pearson.seeded(7).hash(bytes, 32)).not.toBe(Pearson.seeded(8).hash(bytes, 32));
  });
});

describe("bit matrices", () => {
  const matrix = (rows: number[][]) => {
    const made = new BitMatrix(rows.length, rows[0]!.length);
    rows.forEach((row, i) => {
      row.forEach((bit, k) => {
        made.set(i, k, bit);
      });
    });
    return made;
  };

  it("have the rank of their independent rows", () => {
    expect(
      matrix([
        [1, 0, 1],
        [0, 1, 1],
        [1, 1, 0],
      ]).rank(),
    ).toBe(2);
    expect(
      matrix([
        [1, 0, 1],
        [0, 1, 1],
        [1, 1, 1],
      ]).rank(),
    ).toBe(3);
    expect(new BitMatrix(4, 40).rank()).toBe(0);
  });

  it("do not gain rank by sums of rows, and never exceed either side", () => {
    const bits = (rows: number, columns: number) =>
      fc.array(fc.array(fc.nat(1), { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      });
    fc.assert(
      fc.property(bits(6, 40), (rows) => {
        const one = matrix(rows);
        const sums = matrix(
          rows.map((row, i) => row.map((bit, k) => bit ^ rows[(i + 1) % rows.length]![k]!)),
        );
        expect(one.rank()).toBeLessThanOrEqual(6);
        expect(one.above(sums).rank()).toBe(one.rank());
      }),
    );
  });
});

describe("affine hashes", () => {
  const bytes = 13;
  const of = (name: string, width: number) => ({
    width,
    bytes,
    hash: (input: Uint8Array) => bmv2Hash(name)!(input, bytes),
  });

  it.each([
    ["crc16", 16],
    ["crc32", 32],
    ["xor16", 16],
    ["crcCCITT", 16],
  ] as const)("%s has full rank", (name, width) => {
    expect(looksAffine(of(name, width))).toBe(true);
    expect(linearPart(of(name, width)).rank()).toBe(width);
  });

  it("csum16 is not affine", () => {
    expect(looksAffine(of("csum16", 16))).toBe(false);
  });

  it("two CRCs share the bits of the common factor of their polynomials, start values change nothing", () => {
    // Both polynomials of 16 bits have the factor x + 1, that is one bit: the parity. The CRC32's has not.
    expect(sharedRank(of("crc16", 16), of("crcCCITT", 16))).toBe(1);
    expect(sharedRank(of("crc16", 16), of("crc32", 32))).toBe(0);
    const modbus = new Crc(findCrc("CRC-16/MODBUS")!);
    expect(sharedRank(of("crc16", 16), { width: 16, bytes, hash: (input) => modbus.compute(input) })).toBe(
      16,
    );
  });
});

describe("RTAG7", () => {
  const options = (name: Rtag7Function) => ({
    function: name,
    seed: 0,
    preprocess: true,
    offset: 0,
    bits: 16,
  });
  /** As a hash of the 26 bytes of the bins. */
  const of = (name: Rtag7Function) => ({
    width: 16,
    bytes: 2 * RTAG7_BINS,
    hash: (input: Uint8Array) =>
      rtag7(
        Array.from({ length: RTAG7_BINS }, (_, i) => (input[2 * i]! << 8) | input[2 * i + 1]!),
        options(name),
      ),
  });

  it("is affine in its bins, whatever the function", () => {
    for (const name of rtag7Functions) expect(looksAffine(of(name)), name).toBe(true);
  });

  it("five CRC16 functions share their high byte, CCITT the parity, CRC32 nothing", () => {
    const bisync = rtag7Functions.slice(0, 5);
    for (const a of bisync)
      for (const b of bisync) expect(sharedRank(of(a), of(b)), `${a} ${b}`).toBeGreaterThanOrEqual(8);
    expect(sharedRank(of("crc16-bisync"), of("crc16-ccitt"))).toBe(1);
    expect(sharedRank(of("crc16-ccitt"), of("crc32-low"))).toBe(0);
  });

  it("rotates by the offset, keeps the bits, and chooses by the modulo", () => {
    const bins = Array.from({ length: RTAG7_BINS }, (_, i) => 1000 * i + 7);
    const whole = rtag7(bins, options("crc16-ccitt"));
    const turned = rtag7(bins, { ...options("crc16-ccitt"), offset: 4 });
    expect(turned).toBe(((whole >>> 4) | (whole << 12)) & 0xffff);
    expect(rtag7(bins, { ...options("crc16-ccitt"), bits: 10 })).toBe(whole & 1023);
    expect(rtag7Member(bins, options("crc16-ccitt"), 7)).toBe(whole % 7);
  });

  it("a seed changes every member by a constant only, as the function is affine", () => {
    const a = Array.from({ length: RTAG7_BINS }, (_, i) => i);
    const b = Array.from({ length: RTAG7_BINS }, (_, i) => 99 * i);
    const difference = (bins: number[]) =>
      rtag7(bins, options("crc32-high")) ^ rtag7(bins, { ...options("crc32-high"), seed: 0xdeadbeef });
    expect(difference(a)).toBe(difference(b));
  });
});
