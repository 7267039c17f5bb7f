/**
 * Linear algebra over GF(2), for hashes that are affine: Hash(x ^ y) = Hash(x) ^ Hash(y) ^ Hash(0) (RePaC, section 3.2,
 * equation 2; Xu et al., section 2.3.2 and theorem 1). A row is a BigInt; its bits are the columns.
 */

/** A row per output bit: bit i of row r is set if input bit i flips output bit r. */
export type Rows = readonly bigint[];

export function rank(rows: Rows): number {
  let left = rows.filter((row) => row !== 0n);
  let found = 0;
  while (left.length > 0) {
    const pivot = left[0]!;
    const bit = pivot & -pivot;
    left = left
      .slice(1)
      .map((row) => ((row & bit) !== 0n ? row ^ pivot : row))
      .filter((row) => row !== 0n);
    found++;
  }
  return found;
}

/** The linear part of a function of `width` bits, by the inputs with one bit set; it need not be affine elsewhere. */
export function linearPart(hash: (input: bigint) => bigint, width: number, outputs: number): bigint[] {
  const zero = hash(0n);
  const columns = Array.from({ length: width }, (_, bit) => hash(1n << BigInt(bit)) ^ zero);
  return Array.from({ length: outputs }, (_, row) =>
    columns.reduce((value, column, bit) => value | (((column >> BigInt(row)) & 1n) << BigInt(bit)), 0n),
  );
}

/** The rows of a value modulo 2^bits: its low bits. */
export const lowBits = (rows: Rows, bits: number): bigint[] => rows.slice(0, bits);

/**
 * Bits that two affine choices share, however long they are looked at: both are uniform on their own spans, and the joint
 * value is uniform on the span of both. 0 is independence; the rank of the second means that the first determines it.
 */
export const sharedBits = (first: Rows, second: Rows): number =>
  rank(first) + rank(second) - rank([...first, ...second]);

/** The shares of the cells of a joint choice of two functions, by counting all inputs: at most 2^20 of them. */
export function jointShares(
  first: (input: bigint) => number,
  second: (input: bigint) => number,
  width: number,
): Map<string, number> {
  const cells = new Map<string, number>();
  for (let input = 0n; input < 1n << BigInt(width); input++) {
    const cell = `${first(input)},${second(input)}`;
    cells.set(cell, (cells.get(cell) ?? 0) + 1);
  }
  for (const [cell, count] of cells) cells.set(cell, count / 2 ** width);
  return cells;
}

/** A CRC as polynomial division over GF(2), with nothing reflected and no first or last value: it is linear. */
export function crc(polynomial: bigint, bits: number, input: bigint, width: number): bigint {
  let value = input << BigInt(bits);
  const divisor = (1n << BigInt(bits)) | polynomial;
  for (let place = width - 1; place >= 0; place--)
    if ((value >> BigInt(place + bits)) & 1n) value ^= divisor << BigInt(place);
  return value;
}
