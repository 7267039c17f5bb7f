/** Hashes whose values have more than 32 bits. */

/** A hash of up to 64 bits: `low` returns its low word and stores the high word in `high`, until the next call. */
export interface WideHash {
  low(bytes: Uint8Array, length: number): number;
  readonly high: number;
}
