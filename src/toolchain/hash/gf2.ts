/**
 * Linear algebra over GF(2). A CRC, an XOR fold or a Toeplitz hash is an affine map of its input bits. So ranks say how
 * much two hashes have in common: their outputs are independent over uniform inputs if and only if the rank of both
 * together is the sum of their ranks.
 */
import { Random } from "../../base/index.js";

/** A matrix of bits. A row is a list of 32-bit words; column c is bit c % 32 of word c / 32. */
export class BitMatrix {
  readonly stride: number;
  readonly words: Uint32Array;

  constructor(
    readonly rows: number,
    readonly columns: number,
  ) {
    this.stride = Math.max(1, Math.ceil(columns / 32));
    this.words = new Uint32Array(rows * this.stride);
  }

  get(row: number, column: number): number {
    return (this.words[row * this.stride + (column >>> 5)]! >>> (column & 31)) & 1;
  }

  set(row: number, column: number, bit: number): void {
    const at = row * this.stride + (column >>> 5);
    const mask = 1 << (column & 31);
    this.words[at] = bit & 1 ? this.words[at]! | mask : this.words[at]! & ~mask;
  }

  /** A matrix with the rows of this matrix, then those of another matrix with the same number of columns. */
  above(other: BitMatrix): BitMatrix {
    if (other.columns !== this.columns) throw new RangeError("matrices of different widths");
    const both = new BitMatrix(this.rows + other.rows, this.columns);
    both.words.set(this.words);
    both.words.set(other.words, this.words.length);
    return both;
  }

  /** Number of linearly independent rows, by elimination on a copy. */
  rank(): number {
    const { stride, rows, columns } = this;
    const work = this.words.slice();
    let rank = 0;
    for (let column = 0; column < columns && rank < rows; column++) {
      const word = column >>> 5;
      const mask = 1 << (column & 31);
      let pivot = rank;
      while (pivot < rows && (work[pivot * stride + word]! & mask) === 0) pivot++;
      if (pivot === rows) continue;
      for (let k = 0; k < stride; k++) {
        const held = work[rank * stride + k]!;
        work[rank * stride + k] = work[pivot * stride + k]!;
        work[pivot * stride + k] = held;
      }
      for (let row = 0; row < rows; row++)
        if (row !== rank && (work[row * stride + word]! & mask) !== 0)
          for (let k = 0; k < stride; k++) work[row * stride + k]! ^= work[rank * stride + k]!;
      rank++;
    }
    return rank;
  }
}

/** A hash of a byte string of fixed length, `width` bits of output. */
export interface BitHash {
  readonly width: number;
  readonly bytes: number;
  readonly hash: (input: Uint8Array) => number;
}

/** The linear part of an affine hash. Row i is output bit i; column c is input bit c, counted from the top bit of the first byte. */
export function linearPart({ width, bytes, hash }: BitHash): BitMatrix {
  const matrix = new BitMatrix(width, 8 * bytes);
  const input = new Uint8Array(bytes);
  const zero = hash(input);
  for (let column = 0; column < 8 * bytes; column++) {
    input[column >>> 3] = 0x80 >>> (column & 7);
    const difference = hash(input) ^ zero;
    input[column >>> 3] = 0;
    for (let row = 0; row < width; row++) matrix.set(row, column, difference >>> row);
  }
  return matrix;
}

/** Whether a hash passes `tests` random checks of f(a ^ b) = f(a) ^ f(b) ^ f(0), as every affine hash does. */
export function looksAffine({ bytes, hash }: BitHash, seed = 0, tests = 64): boolean {
  const random = new Random(seed);
  const zero = hash(new Uint8Array(bytes));
  for (let i = 0; i < tests; i++) {
    const a = Uint8Array.from({ length: bytes }, () => random.int(256));
    const b = Uint8Array.from({ length: bytes }, () => random.int(256));
    const sum = a.map((byte, k) => byte ^ b[k]!);
    if ((hash(sum) ^ hash(a) ^ hash(b) ^ zero) !== 0) return false;
  }
  return true;
}

/** Number of bits that two affine hashes of the same input share; 0 when their outputs are independent. */
export function sharedRank(a: BitHash, b: BitHash): number {
  const [left, right] = [linearPart(a), linearPart(b)];
  return left.rank() + right.rank() - left.above(right).rank();
}
