/** The hash functions of v1model other than CRCs: checksums and XOR folds over big-endian words. */
import { addWords, finishChecksum } from "../../base/packets/index.js";
import type { WideHash } from "./wide-hash.js";

/** One's-complement sum of 16-bit words, complemented (RFC 1071). A zero byte follows an odd last byte. */
export function csum16(bytes: Uint8Array, length: number = bytes.length): number {
  return finishChecksum(addWords(bytes, 0, length, 0));
}

/** XOR of 16-bit words. A zero byte follows an odd last byte. */
export function xor16(bytes: Uint8Array, length: number = bytes.length): number {
  let fold = 0;
  for (let i = 0; i < length; i++) fold ^= i & 1 ? bytes[i]! : bytes[i]! << 8;
  return fold;
}

/** XOR of bytes. */
export function xor8(bytes: Uint8Array, length: number = bytes.length): number {
  let fold = 0;
  for (let i = 0; i < length; i++) fold ^= bytes[i]!;
  return fold;
}

/** XOR of 32-bit words. Zero bytes follow a short last word. */
export function xor32(bytes: Uint8Array, length: number = bytes.length): number {
  let fold = 0;
  for (let i = 0; i < length; i++) fold ^= bytes[i]! << (24 - 8 * (i & 3));
  return fold >>> 0;
}

/**
 * The hash that simple_switch calls `hash_ex`: FNV-1a over bytes as signed numbers (a byte above 127 also inverts
 * the upper bits of the state), then five steps that mix the bits.
 */
export function hashEx(bytes: Uint8Array, length: number = bytes.length): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ ((bytes[i]! << 24) >> 24), 0x01000193);
  hash = (hash + (hash << 13)) | 0;
  hash ^= hash >>> 7;
  hash = (hash + (hash << 3)) | 0;
  hash ^= hash >>> 17;
  hash = (hash + (hash << 5)) | 0;
  return hash >>> 0;
}

/** The first eight bytes, or fewer where there are fewer, as a big-endian number. */
export class Identity implements WideHash {
  high = 0;

  low(bytes: Uint8Array, length: number): number {
    const used = Math.min(length, 8);
    let high = 0;
    let low = 0;
    for (let i = 0; i < used - 4; i++) high = (high << 8) | bytes[i]!;
    for (let i = Math.max(0, used - 4); i < used; i++) low = (low << 8) | bytes[i]!;
    this.high = high;
    return low;
  }
}
