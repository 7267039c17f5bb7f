/**
 * The Toeplitz hash of receive-side scaling: the XOR of the 32-bit windows of the key that begin at the
 * input's one bits. A key of n bytes serves inputs of n - 4 bytes; longer ones go round the key again.
 */
export class Toeplitz {
  readonly #words: Int32Array;

  /** @param key whole 32-bit words, at least one */
  constructor(key: Uint8Array) {
    if (key.length < 4 || key.length % 4 !== 0) throw new RangeError(`a Toeplitz key of ${key.length} bytes`);
    this.#words = Int32Array.from(
      { length: key.length / 4 },
      (_, i) => (key[4 * i]! << 24) | (key[4 * i + 1]! << 16) | (key[4 * i + 2]! << 8) | key[4 * i + 3]!,
    );
  }

  /** 32 bits of `bytes[0..length)`. */
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
