/** The hash functions of v1model beside CRC: checksums and XOR folds over big-endian words. */

/** One's-complement sum of 16-bit words, complemented (RFC 1071); an odd last byte is padded behind with zero. */
export function csum16(bytes: Uint8Array, length: number = bytes.length): number {
  let sum = 0;
  let i = 0;
  for (; i + 1 < length; i += 2) sum += (bytes[i]! << 8) | bytes[i + 1]!;
  if (i < length) sum += bytes[i]! << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 65536);
  return ~sum & 0xffff;
}

/** XOR of 16-bit words; an odd last byte is padded behind with zero. */
export function xor16(bytes: Uint8Array, length: number = bytes.length): number {
  let fold = 0;
  for (let i = 0; i < length; i++) fold ^= i & 1 ? bytes[i]! : bytes[i]! << 8;
  return fold;
}

/** XOR of 32-bit words; a short last word is padded behind with zeros. */
export function xor32(bytes: Uint8Array, length: number = bytes.length): number {
  let fold = 0;
  for (let i = 0; i < length; i++) fold ^= bytes[i]! << (24 - 8 * (i & 3));
  return fold >>> 0;
}

/** The first four bytes of the (at most eight) that `identity` takes, as the high and low word of its number. */
export function identityHigh(bytes: Uint8Array, length: number = bytes.length): number {
  const used = Math.min(length, 8);
  let high = 0;
  for (let i = 0; i < used - 4; i++) high = (high << 8) | bytes[i]!;
  return high >>> 0;
}

/** Low word of the number that the first eight bytes spell, big-endian; fewer bytes are that shorter number. */
export function identityLow(bytes: Uint8Array, length: number = bytes.length): number {
  const used = Math.min(length, 8);
  let low = 0;
  for (let i = Math.max(0, used - 4); i < used; i++) low = (low << 8) | bytes[i]!;
  return low >>> 0;
}
