/** The Internet checksum (RFC 1071): ones' complement sum of 16-bit words. */

/** Adds the big-endian 16-bit words of `bytes[start, end)` to a running sum; an odd last byte counts as its high half. */
export function addWords(bytes: Uint8Array, start: number, end: number, sum: number): number {
  let i = start;
  for (; i + 1 < end; i += 2) sum += (bytes[i]! << 8) | bytes[i + 1]!;
  return i < end ? sum + (bytes[i]! << 8) : sum;
}

/** Folds carries back into 16 bits; a running sum of up to 2^37 16-bit words stays exact in a double. */
export function foldSum(sum: number): number {
  while (sum > 0xffff) sum = (sum % 0x10000) + Math.floor(sum / 0x10000);
  return sum;
}

/** The checksum field for a running sum taken with the field at zero. */
export function finishChecksum(sum: number): number {
  return ~foldSum(sum) & 0xffff;
}
