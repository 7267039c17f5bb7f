/** Ranks with a Zipf distribution: the probability of rank r, from 0, is proportional to (r + 1)^-exponent. */
import type { Random } from "../../../src/base/index.js";

export class Zipf {
  /** Sums of the weights of the ranks up to each one. */
  readonly #sums: Float64Array;

  constructor(
    readonly size: number,
    exponent: number,
  ) {
    this.#sums = new Float64Array(size);
    let sum = 0;
    for (let rank = 0; rank < size; rank++) {
      sum += (rank + 1) ** -exponent;
      this.#sums[rank] = sum;
    }
  }

  draw(random: Random): number {
    const wanted = random.float() * this.#sums[this.size - 1]!;
    let low = 0;
    let high = this.size - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sums[middle]! > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The probability of the ranks below `end`. */
  below(end: number): number {
    return end === 0 ? 0 : this.#sums[end - 1]! / this.#sums[this.size - 1]!;
  }
}
