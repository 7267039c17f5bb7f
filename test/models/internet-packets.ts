/**
 * The Internet checksum (RFC 1071), and the rules by which TCP and UDP use it over IPv4 (RFC 9293, section 3.1; RFC 768) and IPv6 (RFC 8200,
 * section 8.1), once more and plainly: in big numbers, a word at a time.
 */

/** The checksum field for these bytes, in which it is zero. */
export function checksumOf(bytes: readonly number[]): number {
  let sum = 0n;
  for (let i = 0; i < bytes.length; i += 2) sum += BigInt(bytes[i]! * 256 + (bytes[i + 1] ?? 0));
  while (sum >> 16n !== 0n) sum = (sum % 65536n) + sum / 65536n;
  return 65535 - Number(sum);
}

/** What precedes a transport header for its checksum. `addresses`: source and destination, as in the packet. */
export function pseudoHeader(addresses: readonly number[], protocol: number, length: number): number[] {
  return addresses.length === 8
    ? [...addresses, 0, protocol, length >> 8, length & 255]
    : [...addresses, 0, 0, length >> 8, length & 255, 0, 0, 0, protocol];
}
