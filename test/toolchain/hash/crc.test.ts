import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reflect } from "../../../src/toolchain/hash/crc.js";
import {
  bmv2Hash,
  bmv2HashNames,
  bmv2WideHash,
  Crc,
  crcCatalogue,
  findCrc,
  isOwnHash,
  xor16,
} from "../../../src/toolchain/hash/index.js";
import { csum16, xor32 } from "../../../src/toolchain/hash/simple.js";

const DIGITS = new TextEncoder().encode("123456789");

/** The hash of `bytes[0..length)` by a new instance of a BMv2 algorithm. */
function hashOf(name: string, bytes: Uint8Array, length: number): bigint {
  const hash = bmv2Hash(name);
  if (hash !== undefined) return BigInt(hash(bytes, length) >>> 0);
  const wide = bmv2WideHash(name)!;
  const low = wide.low(bytes, length) >>> 0;
  return (BigInt(wide.high >>> 0) << 32n) | BigInt(low);
}

describe("CRC catalogue", () => {
  it.each(crcCatalogue.map((crc) => [crc.name, crc] as const))("%s gives its check value", (_, crc) => {
    expect(new Crc(crc).compute(DIGITS)).toBe(crc.check);
  });

  it("finds a CRC by name in any case", () => {
    expect(findCrc("crc-16/arc")?.poly).toBe(0x8005);
    expect(findCrc("CRC-16/NONE")).toBeUndefined();
  });

  it("is affine: the CRC of a XOR is the XOR of the CRCs and of the CRC of zeros", () => {
    const message = fc.uint8Array({ minLength: 1, maxLength: 64 });
    fc.assert(
      fc.property(
        fc.constantFrom(...crcCatalogue),
        message,
        fc.infiniteStream(fc.nat(255)),
        (parameters, a, stream) => {
          const crc = new Crc(parameters);
          const b = Uint8Array.from(a, () => stream.next().value as number);
          const sum = a.map((byte, i) => byte ^ b[i]!);
          const zeros = new Uint8Array(a.length);
          expect(crc.compute(sum)).toBe((crc.compute(a) ^ crc.compute(b) ^ crc.compute(zeros)) >>> 0);
        },
      ),
    );
  });

  it("equals long division bit by bit, for any parameters", () => {
    const parameters = fc
      .record({
        width: fc.integer({ min: 1, max: 32 }),
        poly: fc.nat(0xffffffff),
        init: fc.nat(0xffffffff),
        xorout: fc.nat(0xffffffff),
        refin: fc.boolean(),
        refout: fc.boolean(),
      })
      .map((p) => {
        const mask = p.width === 32 ? 0xffffffff : (1 << p.width) - 1;
        const cut = (v: number) => (v & mask) >>> 0;
        return { ...p, poly: cut(p.poly), init: cut(p.init), xorout: cut(p.xorout) };
      });
    fc.assert(
      fc.property(parameters, fc.uint8Array({ maxLength: 20 }), (p, bytes) => {
        let register = BigInt(p.init);
        const top = 1n << BigInt(p.width);
        for (const byte of bytes) {
          for (let i = 0; i < 8; i++) {
            const bit = BigInt((byte >>> (p.refin ? i : 7 - i)) & 1);
            const out = (register >> BigInt(p.width - 1)) ^ bit;
            register = ((register << 1n) % top) ^ (out ? BigInt(p.poly) : 0n);
          }
        }
        const remainder = p.refout ? reflect(Number(register), p.width) : Number(register);
        expect(new Crc(p).compute(bytes)).toBe((remainder ^ p.xorout) >>> 0);
      }),
    );
  });

  it.each([0, -1, 1.5, 33, Number.NaN])("refuses a width of %s bits", (width) => {
    expect(() => new Crc({ width, poly: 1, init: 0, refin: false, refout: false, xorout: 0 })).toThrow(
      RangeError,
    );
  });

  it.each([true, false])("returns `width` bits, whatever bits xorout has (reflected input: %s)", (refin) => {
    const parameters = { width: 8, poly: 0x07, init: 0, refin, refout: refin };
    const plain = new Crc({ ...parameters, xorout: 0xff }).compute(DIGITS);
    expect(new Crc({ ...parameters, xorout: 0xabcdefff }).compute(DIGITS)).toBe(plain);
    expect(plain).toBeLessThan(256);
  });

  it("reflects the lowest bits only", () => {
    expect(reflect(0b1011, 4)).toBe(0b1101);
    expect(reflect(0b111_0010, 4)).toBe(0b0100);
    expect(reflect(0x80000001, 32)).toBe(0x80000001);
  });
});

describe("simple hashes", () => {
  it("csum16 folds its carry until there is none (RFC 1071)", () => {
    expect(csum16(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x00, 0x01))).toBe(0xfffe);
    expect(csum16(Uint8Array.of(0xff, 0xff, 0x00, 0x01))).toBe(0xfffe);
  });

  it("csum16 of data followed by its checksum is 0", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const even = bytes.length % 2 === 0 ? bytes : Uint8Array.from([...bytes, 0]);
        const sum = csum16(even);
        expect(csum16(Uint8Array.from([...even, sum >>> 8, sum & 255]))).toBe(0);
      }),
    );
  });

  it.each(bmv2HashNames)("%s reads the bytes below the length only", (name) => {
    const input = Uint8Array.from([...DIGITS, 0xa5, 0x5a]);
    for (const length of [0, 1, 3, 4, 7, 8, 9]) {
      const part = input.slice(0, length);
      expect(hashOf(name, input, length), `${length} bytes`).toBe(hashOf(name, part, length));
    }
  });

  it("hash_ex gives what simple_switch gives", () => {
    // From the first three packets of test/golden/calculations: fields a to e, and `full` of the third result.
    const recorded = {
      fffffffffffffffffffffffffff8: 0x4336b2a6n,
      "46db8d954e50622ff19bc7fd4891": 0x88e842b7n,
      "2ae151a264ab41ec61501eacb922": 0xc3ac4ee5n,
    };
    for (const [hex, hash] of Object.entries(recorded))
      expect(hashOf("hash_ex", Buffer.from(hex, "hex"), 14), hex).toBe(hash);
  });

  it("identity is the first eight bytes as a big-endian number", () => {
    const input = fc.uint8Array({ maxLength: 20 });
    fc.assert(
      fc.property(input, (bytes) => {
        const hex = Buffer.from(bytes.slice(0, 8)).toString("hex");
        expect(hashOf("identity", bytes, bytes.length)).toBe(BigInt(`0x0${hex}`));
      }),
    );
  });

  it("lists the algorithms that have a state or parameters of their own", () => {
    expect(bmv2HashNames.filter(isOwnHash)).toEqual([
      "crc8_custom",
      "crc16_custom",
      "crc32_custom",
      "toeplitz",
      "crc64_custom",
      "round_robin",
      "round_robin_consistent",
    ]);
  });

  it("XOR folds are linear and ignore zero padding", () => {
    expect(xor16(Uint8Array.of(0x12, 0x34, 0x56))).toBe(0x1234 ^ 0x5600);
    expect(xor32(Uint8Array.of(0x12, 0x34, 0x56, 0x78, 0x9a))).toBe((0x12345678 ^ 0x9a000000) >>> 0);
  });

  it("knows every BMv2 name it lists and no other", () => {
    for (const name of bmv2HashNames) expect(bmv2Hash(name) ?? bmv2WideHash(name), name).toBeDefined();
    for (const name of ["toString", "random"]) {
      expect(bmv2Hash(name)).toBeUndefined();
      expect(bmv2WideHash(name)).toBeUndefined();
    }
  });

  it("takes custom parameters for custom algorithms only", () => {
    const custom = { width: 16, poly: 0x1021, init: 0, refin: false, refout: false, xorout: 0 };
    expect(bmv2Hash("crc16_custom", custom)!(DIGITS, 9)).toBe(0x31c3);
    expect(bmv2Hash("crc16", custom)!(DIGITS, 9)).toBe(0xbb3d);
  });
});
