import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex, Random } from "../../../src/base/index.js";
import { BitMatrix, linearPart, looksAffine, sharedRank } from "../../../src/toolchain/hash/gf2.js";
import {
  bmv2Hash,
  Crc,
  findCrc,
  type Rtag7Function,
  rtag7Functions,
} from "../../../src/toolchain/hash/index.js";
import { Pearson } from "../../../src/toolchain/hash/pearson.js";
import { RTAG7_BINS, rtag7, rtag7Member } from "../../../src/toolchain/hash/rtag7.js";
import { Toeplitz } from "../../../src/toolchain/hash/toeplitz.js";

describe("Toeplitz", () => {
  // Key and vectors of Microsoft's "Verifying the RSS hash calculation": source, destination, then ports.
  const key = fromHex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")!;

  it.each([
    ["420995bba18e6450", 0x323e8fc2],
    ["420995bba18e64500aea06e6", 0x51ccc178],
  ])("%s", (input, expected) => {
    expect(new Toeplitz(key).hash(fromHex(input)!)).toBe(expected);
  });

  it.each([0, 3, 7])("refuses a key of %i bytes, which is no whole words", (length) => {
    expect(() => new Toeplitz(key.subarray(0, length))).toThrow(RangeError);
  });

  it("repeats the key for inputs that are too long for it", () => {
    const input = Uint8Array.from({ length: 50 }, (_, i) => 37 * i + 1);
    const twice = Uint8Array.from([...key, ...key]);
    expect(new Toeplitz(key).hash(input)).toBe(new Toeplitz(twice).hash(input));
    // One word of key: each word of input meets the same 64 bits.
    const word = new Toeplitz(Uint8Array.of(0x80, 0, 0, 1));
    expect(word.hash(Uint8Array.of(0x80, 0, 0, 0))).toBe(0x80000001);
    expect(word.hash(Uint8Array.of(0, 0, 0, 0, 0x40, 0, 0, 0))).toBe(0x00000003);
    expect(word.hash(Uint8Array.of(0, 0, 0, 0, 0x80, 0, 0, 0))).toBe(0x80000001);
  });

  it("reads the bytes below the length only", () => {
    const input = fromHex("420995bba18e64500aea06e6")!;
    expect(new Toeplitz(key).hash(input, 8)).toBe(0x323e8fc2);
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
    const all = Array.from({ length: 256 }, (_, i) => i);
    expect(() => new Pearson(Uint8Array.from([...all, 0]))).toThrow(RangeError);
    expect(() => new Pearson(Uint8Array.from(all.slice(1)))).toThrow(RangeError);
  });

  it("walks once for each output byte, with the first input byte raised by the number of the walk", () => {
    const pearson = Pearson.seeded(3);
    // 255 + 1 is 0 again.
    const [bytes, raised] = [Uint8Array.of(255, 20, 30), Uint8Array.of(0, 20, 30)];
    const [first, second] = [pearson.hash8(bytes), pearson.hash8(raised)];
    expect(pearson.hash(bytes, 8)).toBe(first);
    expect(pearson.hash(bytes, 16)).toBe(first * 256 + second);
    expect(pearson.hash(bytes, 32) >>> 16).toBe(first * 256 + second);
  });

  it("of no bytes is 0, and bytes after the length do not count", () => {
    const pearson = Pearson.seeded(3);
    expect(pearson.hash8(new Uint8Array(0))).toBe(0);
    expect(pearson.hash(Uint8Array.of(1, 2), 32, 0)).toBe(0);
    expect(pearson.hash8(Uint8Array.of(9, 8, 7), 2)).toBe(pearson.hash8(Uint8Array.of(9, 8)));
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

  it("return the bits that were set", () => {
    const made = new BitMatrix(3, 70);
    const places = [
      [0, 0],
      [0, 69],
      [1, 31],
      [1, 32],
      [2, 63],
      [2, 64],
    ] as const;
    for (const [row, column] of places) made.set(row, column, 1);
    const set: [number, number][] = [];
    for (let row = 0; row < 3; row++)
      for (let column = 0; column < 70; column++) if (made.get(row, column)) set.push([row, column]);
    expect(set).toEqual(places);
    made.set(1, 32, 0);
    expect([made.get(1, 31), made.get(1, 32)]).toEqual([1, 0]);
  });

  it("keep their bits when their rank is taken", () => {
    const made = matrix([
      [1, 1],
      [1, 0],
    ]);
    expect([made.rank(), made.rank()]).toEqual([2, 2]);
    expect([made.get(0, 0), made.get(0, 1), made.get(1, 0), made.get(1, 1)]).toEqual([1, 1, 1, 0]);
  });

  it("have the rank that a XOR basis of their rows has", () => {
    // Sums of a few numbers: most rows depend on others.
    const number = fc
      .tuple(fc.bigInt({ min: 0n, max: 2n ** 70n - 1n }), fc.constantFrom(0n, 33n, 65n))
      .map(([bits, low]) => (bits >> low) << low);
    const few = fc.array(number, { minLength: 1, maxLength: 7 });
    const rows = fc
      .tuple(few, fc.array(fc.nat(127), { minLength: 1, maxLength: 30 }))
      .map(([base, choices]) =>
        choices.map((choice) =>
          base.reduce((sum, number, i) => ((choice >> i) & 1 ? sum ^ number : sum), 0n),
        ),
      );
    fc.assert(
      fc.property(rows, (numbers) => {
        const basis: bigint[] = [];
        for (let number of numbers) {
          for (const member of basis) if ((number ^ member) < number) number ^= member;
          if (number !== 0n) basis.push(number);
          basis.sort((a, b) => (a < b ? 1 : -1));
        }
        const made = matrix(
          numbers.map((number) =>
            Array.from({ length: 70 }, (_, bit) => Number((number >> BigInt(bit)) & 1n)),
          ),
        );
        expect(made.rank()).toBe(basis.length);
      }),
    );
  });

  it("join only matrices of one width", () => {
    expect(() => new BitMatrix(2, 3).above(new BitMatrix(2, 4))).toThrow(RangeError);
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

  it("the linear part of a big-endian number has output bit i in input bit 31 - i", () => {
    const part = linearPart({
      width: 32,
      bytes: 4,
      hash: (input) => new DataView(input.buffer).getUint32(0),
    });
    for (let row = 0; row < 32; row++)
      for (let column = 0; column < 32; column++)
        expect(part.get(row, column), `${row} ${column}`).toBe(column === 31 - row ? 1 : 0);
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

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("hashes the preprocessed bins and then the seed, draw %i", (draw) => {
    const random = new Random(draw);
    const bins = Array.from({ length: RTAG7_BINS }, () => random.int(0x10000));
    const seed = random.int(2 ** 32);
    const input = new DataView(new ArrayBuffer(2 * RTAG7_BINS + 4));
    for (const [i, bin] of bins.entries()) input.setUint16(2 * i, bin ^ (bin >>> 3) ^ (bin << 2));
    input.setUint32(2 * RTAG7_BINS, seed);
    const bytes = new Uint8Array(input.buffer);
    const crc = (name: string) => new Crc(findCrc(name)!).compute(bytes);
    /** The XOR of all groups of `width` bits. */
    const groups = (width: number) => {
      let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
      let sum = 0n;
      for (; rest !== 0n; rest >>= BigInt(width)) sum ^= rest & (2n ** BigInt(width) - 1n);
      return Number(sum);
    };
    const high = crc("CRC-16/ARC") & 0xff00;
    const expected: Record<Rtag7Function, number> = {
      "crc16-bisync": crc("CRC-16/ARC"),
      "crc16-bisync-xor1": high | groups(1),
      "crc16-bisync-xor2": high | groups(2),
      "crc16-bisync-xor4": high | groups(4),
      "crc16-bisync-xor8": high | groups(8),
      xor16: groups(16),
      "crc16-ccitt": crc("CRC-16/IBM-3740"),
      "crc32-low": crc("CRC-32/ISO-HDLC") % 65536,
      "crc32-high": Math.floor(crc("CRC-32/ISO-HDLC") / 65536),
    };
    for (const name of rtag7Functions) {
      const hash = expected[name];
      expect(rtag7(bins, { ...options(name), seed }), name).toBe(hash);
      expect(rtag7(bins, { ...options(name), seed, offset: 5 }), name).toBe(
        (hash >>> 5) + (hash % 32) * 2048,
      );
    }
    for (const [i, bin] of bins.entries()) input.setUint16(2 * i, bin);
    const plain = { ...options("crc16-ccitt"), preprocess: false, seed };
    expect(rtag7(bins, plain)).toBe(crc("CRC-16/IBM-3740"));
    expect(
      rtag7(
        bins.map((bin) => bin + 0x50000),
        plain,
      ),
    ).toBe(crc("CRC-16/IBM-3740"));
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
