/** The two "hashes" of BMv2 that count, so that packets go to all members of a group in turn. */
import type { WideHash } from "./wide-hash.js";

/** Returns 0, 1, 2, ... for any input. */
export class RoundRobin implements WideHash {
  high = 0;
  #next = 0;

  low(): number {
    const value = this.#next++;
    this.high = (value / 4294967296) | 0;
    return value | 0;
  }
}

/** Returns the next number for a new input, and the same number again for a known input. It stores every input. */
export class ConsistentRoundRobin implements WideHash {
  /** Always 0: inputs that would need more than 32 bits do not fit in memory. */
  readonly high = 0;
  readonly #seen = new Map<string, number>();

  low(bytes: Uint8Array, length: number): number {
    let name = "";
    for (let i = 0; i < length; i++) name += String.fromCharCode(bytes[i]!);
    let value = this.#seen.get(name);
    if (value === undefined) {
      value = this.#seen.size;
      this.#seen.set(name, value);
    }
    return value | 0;
  }
}
