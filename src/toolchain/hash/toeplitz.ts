/**
 * The Toeplitz hash of receive-side scaling: for each input bit that is 1, the 32 bits of the key that begin at the same
 * position, all combined by XOR. A key of n bytes is enough for n - 4 input bytes; for longer inputs the key repeats.
 */
export class Toeplitz {
  readonly #words: Int32Array;

  /** @param key whole 32-bit words, at least one word */
  constructor(key: Uint8Array) {
    if (key.length < 4 || key.length % 4 !== 0) throw new RangeError(`a Toeplitz key of ${key.length} bytes`);
    this.#words = Int32Array.from(
      { length: key.length / 4 },
      (_, i) => (key[4 * i]! << 24) | (key[4 * i + 1]! << 16) | (key[4 * i + 2]! << 8) | key[4 * i + 3]!,
    );
  }

  /** The 32-bit hash of `bytes[0..length)`. */
  hash(bytes: Uint8Array, length: number = bytes.length): number {
    const words = this.#words;
    let result = 0;
    for (let i = 0; i < length; i++) {
      const byte = bytes[i]!;
      if (byte === 0) continue;
      const high = words[(i >> 2) % words.length]!;
      const low = words[((i >> 2) + 1) % words.length]!;
      for (let bit = 0; bit < 8; bit++) {
        if ((byte & (0x80 >> bit)) === 0) continue;
        const shift = 8 * (i & 3) + bit;
        result ^= shift === 0 ? high : (high << shift) | (low >>> (32 - shift));
      }
    }
    return result >>> 0;
  }
}
