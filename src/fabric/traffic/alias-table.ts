/** Draws one of many weighted items in constant time: Vose's alias method (IEEE Trans. Software Eng. 17(9), 1991). */
import type { Random } from "../../base/index.js";

export class AliasTable {
  /** Share of column i that belongs to i itself; the rest of it belongs to `#alias[i]`. */
  readonly #own: Float64Array;
  readonly #alias: Int32Array;

  /** @param weights at least one; none negative; their sum is above 0 */
  constructor(weights: ArrayLike<number>) {
    const count = weights.length;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += weights[i]!;
    this.#own = new Float64Array(count);
    this.#alias = new Int32Array(count);
    const scaled = Float64Array.from(weights, (weight) => (weight * count) / sum);
    const small: number[] = [];
    const large: number[] = [];
    for (let i = 0; i < count; i++) (scaled[i]! < 1 ? small : large).push(i);
    while (small.length > 0 && large.length > 0) {
      const less = small.pop()!;
      const more = large[large.length - 1]!;
      this.#own[less] = scaled[less]!;
      this.#alias[less] = more;
      scaled[more] = scaled[more]! + scaled[less]! - 1;
      if (scaled[more]! < 1) small.push(large.pop()!);
    }
    // The remaining shares are 1 except for rounding errors; a weight of 0 never remains while another is above 0.
    for (const i of [...small, ...large]) {
      this.#own[i] = 1;
      this.#alias[i] = i;
    }
  }

  /** An index of the weights, each with a probability in proportion to its weight. */
  draw(random: Random): number {
    const column = random.int(this.#own.length);
    return random.float() < this.#own[column]! ? column : this.#alias[column]!;
  }
}
