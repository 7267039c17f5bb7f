/** The hash algorithms of the BMv2 JSON format that give at most 32 bits, by the format's names. */
import { Crc, type CrcParameters } from "./crc.js";
import { csum16, identityLow, xor16, xor32 } from "./simple.js";

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

/** Parameters that a CRC algorithm of BMv2 starts with; the `_custom` ones can be changed at run time. */
export const bmv2Crcs: Readonly<Record<string, CrcParameters>> = {
  crc8_custom: CRC8,
  crc16: CRC16,
  crc16_custom: CRC16,
  crc32: CRC32,
  crc32_custom: CRC32,
  crcCCITT: CRC_CCITT,
};

const SIMPLE: Readonly<Record<string, HashFunction>> = {
  csum16,
  cksum16: csum16,
  xor16,
  xor32,
  identity: identityLow,
};

/** All names that {@link bmv2Hash} knows, in a fixed order. */
export const bmv2HashNames: readonly string[] = [...Object.keys(bmv2Crcs), ...Object.keys(SIMPLE)];

/**
 * The function behind a BMv2 algorithm name; undefined for an unknown one. `identity` gives the low 32 bits
 * of its (up to 64-bit) number. Custom CRC parameters replace the start values of a `_custom` algorithm.
 */
export function bmv2Hash(algorithm: string, custom?: CrcParameters): HashFunction | undefined {
  if (Object.hasOwn(SIMPLE, algorithm)) return SIMPLE[algorithm];
  if (!Object.hasOwn(bmv2Crcs, algorithm)) return undefined;
  const crc = new Crc(custom !== undefined && algorithm.endsWith("_custom") ? custom : bmv2Crcs[algorithm]!);
  return (bytes, length) => crc.compute(bytes, length);
}
