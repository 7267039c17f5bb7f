/** The two "hashes" of BMv2 that count: for going through all members of a group in turn. */
import type { WideHash } from "./bmv2.js";

/** 0, 1, 2, ... whatever the input. */
export class RoundRobin implements WideHash {
  high = 0;
  #next = 0;

  low(): number {
    const value = this.#next++;
    this.high = (value / 4294967296) | 0;
    return value | 0;
  }
}

/** The same input gives the same number again; a new input the next one. It remembers every input. */
export class ConsistentRoundRobin implements WideHash {
  /** As many inputs as would need more than 32 bits do not fit in memory. */
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
