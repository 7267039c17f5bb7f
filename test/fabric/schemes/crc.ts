/** The hashes of v1model's action selectors, bit by bit. */
import type { HashChoice } from "../../../src/toolchain/generate/index.js";

/** CRCs are reflected; the most significant bit of the input comes first. */
export function crc(algorithm: HashChoice["algorithm"], bytes: Uint8Array): number {
  if (algorithm === "xor16") return words(bytes).reduce((fold, word) => fold ^ word, 0);
  if (algorithm === "csum16")
    return (
      0xffff - words(bytes).reduce((sum, word) => (sum + word) % 0xffff || (sum + word > 0 ? 0xffff : 0), 0)
    );
  const [polynomial, start, end] = algorithm === "crc16" ? [0xa001, 0, 0] : [0xedb88320, -1, -1];
  let value: number = start;
  for (const byte of bytes) {
    value ^= byte;
    for (let i = 0; i < 8; i++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  }
  return (value ^ end) >>> 0;
}

/** Big-endian words of 16 bits. */
function words(bytes: Uint8Array): number[] {
  return Array.from(
    { length: Math.ceil(bytes.length / 2) },
    (_, i) => bytes[2 * i]! * 256 + (bytes[2 * i + 1] ?? 0),
  );
}

/** Joins fields, most significant bit first, with zero bits to the end of the last byte. */
export function pack(fields: readonly { value: bigint; width: number }[]): Uint8Array {
  const bits = fields.map(({ value, width }) => value.toString(2).padStart(width, "0")).join("");
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, "0");
  return Uint8Array.from({ length: padded.length / 8 }, (_, i) =>
    Number.parseInt(padded.slice(8 * i, 8 * i + 8), 2),
  );
}
