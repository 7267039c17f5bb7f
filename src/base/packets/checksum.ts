/** The Internet checksum: ones' complement sum of 16-bit words (RFC 1071), and its incremental update (RFC 1624). */

import { get16, put16 } from "./words.js";

/**
 * Adds the big-endian 16-bit words of `bytes[start, end)` to a running sum; an odd last byte is the high half of a word.
 * The running sum is exact for up to 2^37 words, so carries wait for {@link finishChecksum}.
 */
export function addWords(bytes: Uint8Array, start: number, end: number, sum: number): number {
  let i = start;
  for (const last = end - 8; i <= last; i += 8)
    sum +=
      ((bytes[i]! + bytes[i + 2]! + bytes[i + 4]! + bytes[i + 6]!) << 8) +
      (bytes[i + 1]! + bytes[i + 3]! + bytes[i + 5]! + bytes[i + 7]!);
  for (; i + 1 < end; i += 2) sum += (bytes[i]! << 8) | bytes[i + 1]!;
  return i < end ? sum + (bytes[i]! << 8) : sum;
}

/** Folds the carries of a running sum back until it has 16 bits. */
export function foldSum(sum: number): number {
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return sum;
}

/** The checksum field for a running sum that was taken with the field at zero. */
export function finishChecksum(sum: number): number {
  return ~foldSum(sum) & 0xffff;
}

/** Whether a running sum over data and their checksum says that they are as they were sent. */
export function isWhole(sum: number): boolean {
  return foldSum(sum) === 0xffff;
}

/** Updates the checksum field at `at` by a sum of added words; see {@link without} for words that are removed. */
export function adjustChecksum(bytes: Uint8Array, at: number, added: number): void {
  // RFC 1624, equation 3.
  let sum = (~get16(bytes, at) & 0xffff) + added;
  sum = (sum & 0xffff) + (sum >>> 16);
  put16(bytes, at, ~((sum & 0xffff) + (sum >>> 16)));
}

/** The addend that removes `words`, a sum of at most 32 bits, from a sum. */
export function without(words: number): number {
  words = (words & 0xffff) + (words >>> 16);
  return 0xffff - ((words & 0xffff) + (words >>> 16));
}
