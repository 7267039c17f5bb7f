/** The CRCs of v1model's action selectors, bit by bit: reflected, most significant bit of the input first. */

export function crc(algorithm: "crc16" | "crc32", bytes: Uint8Array): number {
  const [polynomial, start, end] = algorithm === "crc16" ? [0xa001, 0, 0] : [0xedb88320, -1, -1];
  let value: number = start;
  for (const byte of bytes) {
    value ^= byte;
    for (let i = 0; i < 8; i++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  }
  return (value ^ end) >>> 0;
}

/** Joins fields, most significant bit first, with zero bits to the end of the last byte. */
export function pack(fields: readonly { value: bigint; width: number }[]): Uint8Array {
  const bits = fields.map(({ value, width }) => value.toString(2).padStart(width, "0")).join("");
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, "0");
  return Uint8Array.from({ length: padded.length / 8 }, (_, i) =>
    Number.parseInt(padded.slice(8 * i, 8 * i + 8), 2),
  );
}
