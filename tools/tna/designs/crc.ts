/** Checksums that programs hash with, bit by bit. */

/** CRC-16/ARC: polynomial 0x8005, reflected. */
export function crc16Arc(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xa001 : 0);
  }
  return crc;
}

/** Polynomial 0x0589 from the high bit on, begun and finished with 1. */
export function crc16Dect(bytes: Uint8Array): number {
  let crc = 1;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x0589 : 0)) & 0xffff;
  }
  return crc ^ 1;
}
