/**
 * Of two elements: how many probes cross both, and how many of these are lost. Each probe is counted once: a further call counts only the
 * probes since the last one, unless it asks for an element that no call asked for.
 */
import type { ProbeRecord } from "./probe-record.js";

export interface Together {
  sent: number;
  lost: number;
}

/** Writes the indexes of the elements that directed links cross, each once, to `out`; returns their number. */
export type PlacesOf = (links: ArrayLike<number>, out: Int32Array) => number;

export class PairCounts {
  /** Elements of pairs have small numbers, others -1: each two of them have a count. */
  readonly #numbers: Int32Array;
  readonly #elements: number[] = [];
  #sent = new Int32Array(0);
  #lost = new Int32Array(0);
  /** Number of probes that are counted. */
  #counted = 0;
  readonly #crossed: Int32Array;

  constructor(
    elements: number,
    readonly probes: ProbeRecord,
    readonly placesOf: PlacesOf,
  ) {
    this.#numbers = new Int32Array(elements).fill(-1);
    this.#crossed = new Int32Array(elements);
  }

  of(pairs: readonly (readonly [number, number])[]): Together[] {
    const before = this.#elements.length;
    for (const pair of pairs)
      for (const place of pair)
        if (this.#numbers[place] === -1) this.#numbers[place] = this.#elements.push(place) - 1;
    const size = this.#elements.length;
    if (size > before) {
      this.#counted = 0;
      this.#sent = new Int32Array(size * size);
      this.#lost = new Int32Array(size * size);
    }
    while (this.#counted < this.probes.count) this.#count(this.#counted++);
    return pairs.map(([a, b]) => {
      const at = this.#numbers[a]! * size + this.#numbers[b]!;
      return { sent: this.#sent[at]!, lost: this.#lost[at]! };
    });
  }

  #count(probe: number): void {
    const crossed = this.#crossed;
    const all = this.placesOf(this.probes.linksOf(probe), crossed);
    let own = 0;
    for (let i = 0; i < all; i++) {
      const number = this.#numbers[crossed[i]!]!;
      if (number >= 0) crossed[own++] = number;
    }
    const size = this.#elements.length;
    const isLost = !this.probes.arrived(probe);
    for (let i = 0; i < own; i++)
      for (let j = 0; j < own; j++) {
        const at = crossed[i]! * size + crossed[j]!;
        this.#sent[at]!++;
        if (isLost) this.#lost[at]!++;
      }
  }
}
