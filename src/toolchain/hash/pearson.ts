/** Pearson hashes (P. K. Pearson, CACM 33(6), 1990): a walk through a permutation of the bytes. */
import { Random } from "../../base/index.js";

export class Pearson {
  /** @param table a permutation of 0..255 */
  constructor(readonly table: Uint8Array) {
    if (table.length !== 256 || new Set(table).size !== 256) throw new RangeError("no permutation of 0..255");
  }

  /** The permutation that a seed gives. */
  static seeded(seed: number | string): Pearson {
    const values = new Random(seed).shuffle(Array.from({ length: 256 }, (_, i) => i));
    return new Pearson(Uint8Array.from(values));
  }

  /** A hash of 8 bits; the hash of no bytes is 0. */
  hash8(bytes: Uint8Array, length: number = bytes.length): number {
    return this.#walk(bytes, length, 0);
  }

  /**
   * A hash of `width` bits (8, 16, 24 or 32): one walk for each output byte, highest byte first. The first input byte is
   * raised by 0, 1, 2, ... for the walks, as the paper proposes for more bits.
   */
  hash(bytes: Uint8Array, width: number, length: number = bytes.length): number {
    let result = 0;
    for (let i = 0; i < width / 8; i++) result = (result << 8) | this.#walk(bytes, length, i);
    return result >>> 0;
  }

  #walk(bytes: Uint8Array, length: number, raise: number): number {
    if (length === 0) return 0;
    const { table } = this;
    let state = table[(bytes[0]! + raise) & 255]!;
    for (let i = 1; i < length; i++) state = table[state ^ bytes[i]!]!;
    return state;
  }
}
