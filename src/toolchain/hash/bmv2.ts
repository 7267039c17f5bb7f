/** The hash algorithms of the BMv2 JSON format, by the format's names. */

import { Crc, type CrcParameters } from "./crc.js";
import { Crc64, type Crc64Parameters } from "./crc64.js";
import { ConsistentRoundRobin, RoundRobin } from "./round-robin.js";
import { csum16, hashEx, Identity, xor8, xor16, xor32 } from "./simple.js";
import { Toeplitz } from "./toeplitz.js";
import type { WideHash } from "./wide-hash.js";
import { Xxh64 } from "./xxh64.js";

/** A hash of at most 32 bits over `bytes[0..length)`. */
export type HashFunction = (bytes: Uint8Array, length: number) => number;

const CRC16: CrcParameters = { width: 16, poly: 0x8005, init: 0, refin: true, refout: true, xorout: 0 };
const CRC32: CrcParameters = {
  width: 32,
  poly: 0x04c11db7,
  init: 0xffffffff,
  refin: true,
  refout: true,
  xorout: 0xffffffff,
};
const CRC_CCITT: CrcParameters = {
  width: 16,
  poly: 0x1021,
  init: 0xffff,
  refin: false,
  refout: false,
  xorout: 0,
};
const CRC8: CrcParameters = { width: 8, poly: 0x07, init: 0, refin: false, refout: false, xorout: 0 };

/** Initial parameters of the CRC algorithms of BMv2; those of the `_custom` algorithms can be changed at run time. */
const bmv2Crcs: Readonly<Record<string, CrcParameters>> = {
  crc8_custom: CRC8,
  crc16: CRC16,
  crc16_custom: CRC16,
  crc32: CRC32,
  crc32_custom: CRC32,
  crcCCITT: CRC_CCITT,
};

const CRC64: Crc64Parameters = { poly: 0x1bn, init: 0n, refin: true, refout: true, xorout: 0n };

const SIMPLE: Readonly<Record<string, HashFunction>> = {
  csum16,
  cksum16: csum16,
  xor16,
  xor8,
  xor32,
  hash_ex: hashEx,
};

const WIDE: Readonly<Record<string, () => WideHash>> = {
  identity: () => new Identity(),
  xxh64: () => new Xxh64(),
  bmv2_hash: () => new Xxh64(),
  crc64_custom: () => new Crc64(CRC64),
  round_robin: () => new RoundRobin(),
  round_robin_consistent: () => new ConsistentRoundRobin(),
};

/** The initial key of `toeplitz`: the hash is 0 until another key is set. */
const TOEPLITZ_KEY = new Uint8Array(4);

/** The names of all algorithms, in a fixed order. */
export const bmv2HashNames: readonly string[] = [
  ...Object.keys(bmv2Crcs),
  ...Object.keys(SIMPLE),
  "toeplitz",
  ...Object.keys(WIDE),
];

/** Whether a hash has state or parameters that can change, so that each switch needs its own instance. */
export function isOwnHash(algorithm: string): boolean {
  return algorithm.endsWith("_custom") || algorithm === "toeplitz" || algorithm.startsWith("round_robin");
}

/**
 * The function of a BMv2 algorithm name; undefined for an unknown name, and for the algorithms of
 * {@link bmv2WideHash}. Custom CRC parameters replace the initial parameters of a `_custom` algorithm.
 */
export function bmv2Hash(algorithm: string, custom?: CrcParameters): HashFunction | undefined {
  if (Object.hasOwn(SIMPLE, algorithm)) return SIMPLE[algorithm];
  if (algorithm === "toeplitz") return toeplitzHash(TOEPLITZ_KEY);
  const written = writtenCrc(algorithm);
  if (written !== undefined && written.width <= 32) {
    const crc = new Crc({
      ...written,
      poly: Number(written.poly),
      init: Number(written.init),
      xorout: Number(written.xorout),
    });
    return (bytes, length) => crc.compute(bytes, length);
  }
  if (!Object.hasOwn(bmv2Crcs, algorithm)) return undefined;
  const crc = new Crc(custom !== undefined && algorithm.endsWith("_custom") ? custom : bmv2Crcs[algorithm]!);
  return (bytes, length) => crc.compute(bytes, length);
}

/** A new instance of an algorithm that returns more than 32 bits; undefined for any other algorithm. */
export function bmv2WideHash(algorithm: string): WideHash | undefined {
  const written = writtenCrc(algorithm);
  if (written?.width === 64) return new Crc64(written);
  return Object.hasOwn(WIDE, algorithm) ? WIDE[algorithm]!() : undefined;
}

/** A polynomial as a name: `crc:WIDTH:POLYNOMIAL:REFLECTED:START:XOR`, all but the width hexadecimal. Programs for other targets than BMv2 have it. */
function writtenCrc(algorithm: string): (Crc64Parameters & { width: number }) | undefined {
  const match = /^crc:(\d+):([0-9a-f]+):([01]):([0-9a-f]+):([0-9a-f]+)$/.exec(algorithm);
  if (match === null) return undefined;
  const [, width, poly, reflected, init, xor] = match;
  const big = (text: string | undefined): bigint => BigInt.asUintN(Number(width), BigInt(`0x${text}`));
  const refin = reflected === "1";
  return { width: Number(width), poly: big(poly), init: big(init), refin, refout: refin, xorout: big(xor) };
}

/** @param key whole 32-bit words, at least one word */
export function toeplitzHash(key: Uint8Array): HashFunction {
  const toeplitz = new Toeplitz(key);
  return (bytes, length) => toeplitz.hash(bytes, length);
}
