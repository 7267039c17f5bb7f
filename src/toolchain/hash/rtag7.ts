/**
 * Hashing in the style of switch chips with RTAG7. Headers are folded into thirteen bins of 16 bits. One of nine functions
 * hashes the bins and a 32-bit seed to 16 bits. Then come a rotation, a mask, and the modulo of the group's size. Six
 * functions are CRC16s, five of which share their high byte, so consecutive stages of such chips correlate. This is the
 * structure of the family, not a bit-exact model of one chip.
 */
import { type CatalogueCrc, findCrc } from "./catalogue.js";
import { Crc } from "./crc.js";
import { xor16 } from "./simple.js";

export const RTAG7_BINS = 13;

/** The bytes that are hashed: the bins, then the seed, all big-endian. */
const INPUT_BYTES = 2 * RTAG7_BINS + 4;

/** The functions in the order of their numbers in the chips. */
export const rtag7Functions = [
  "crc16-bisync",
  "crc16-bisync-xor1",
  "crc16-bisync-xor2",
  "crc16-bisync-xor4",
  "crc16-bisync-xor8",
  "xor16",
  "crc16-ccitt",
  "crc32-low",
  "crc32-high",
] as const;

export type Rtag7Function = (typeof rtag7Functions)[number];

export interface Rtag7Options {
  readonly function: Rtag7Function;
  readonly seed: number;
  /** Replaces each bin x by x ^ x >> 3 ^ x << 2 before the hash. */
  readonly preprocess: boolean;
  /** Number of bits by which the 16-bit hash is rotated right, 0 to 15. */
  readonly offset: number;
  /** Number of low bits that are kept after the rotation, 1 to 16. */
  readonly bits: number;
}

const crcOf = (name: string) => new Crc(findCrc(name) as CatalogueCrc);
const BISYNC = crcOf("CRC-16/ARC");
const CCITT = crcOf("CRC-16/IBM-3740");
const CRC32 = crcOf("CRC-32/ISO-HDLC");

/** The XOR of all groups of `bits` bits in a number. */
function fold(bytes: Uint8Array, bits: number): number {
  let value = 0;
  for (const byte of bytes) value ^= byte;
  for (let width = 8; width > bits; width /= 2)
    value = (value ^ (value >>> (width / 2))) & ((1 << (width / 2)) - 1);
  return value;
}

/** A function over the bytes of the bins and the seed, before rotation and mask. */
export function rtag7Bytes(name: Rtag7Function, input: Uint8Array): number {
  const bisync = (bits: number) => (BISYNC.compute(input) & 0xff00) | fold(input, bits);
  switch (name) {
    case "crc16-bisync":
      return BISYNC.compute(input);
    case "crc16-bisync-xor1":
      return bisync(1);
    case "crc16-bisync-xor2":
      return bisync(2);
    case "crc16-bisync-xor4":
      return bisync(4);
    case "crc16-bisync-xor8":
      return bisync(8);
    case "xor16":
      return xor16(input);
    case "crc16-ccitt":
      return CCITT.compute(input);
    case "crc32-low":
      return CRC32.compute(input) & 0xffff;
    case "crc32-high":
      return CRC32.compute(input) >>> 16;
  }
}

/** Reused: each call of {@link rtag7} overwrites it. */
const input = new Uint8Array(INPUT_BYTES);

/** The hash of the bins (13 numbers of 16 bits) before the modulo; it has `bits` bits. */
export function rtag7(bins: ArrayLike<number>, options: Rtag7Options): number {
  for (let i = 0; i < RTAG7_BINS; i++) {
    let bin = bins[i]! & 0xffff;
    if (options.preprocess) bin = (bin ^ (bin >>> 3) ^ (bin << 2)) & 0xffff;
    input[2 * i] = bin >>> 8;
    input[2 * i + 1] = bin & 255;
  }
  for (let i = 0; i < 4; i++) input[2 * RTAG7_BINS + i] = options.seed >>> (24 - 8 * i);
  const hash = rtag7Bytes(options.function, input);
  const rotated = ((hash >>> options.offset) | (hash << (16 - options.offset))) & 0xffff;
  return rotated & (2 ** options.bits - 1);
}

/** The number of the member, below `size`, that the bins choose in a group. */
export function rtag7Member(bins: ArrayLike<number>, options: Rtag7Options, size: number): number {
  return rtag7(bins, options) % size;
}
