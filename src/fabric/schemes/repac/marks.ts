/** Chooses the next mark of a host (RePaC, algorithm 1 and section 4.2.1): the value of the field that changes the most hops. */
import type { Random } from "../../../base/index.js";
import { changedHops, type Pathmap } from "./pathmap.js";

export class MarkChooser {
  /** By change of the field: hops at which every flow gets another next hop. */
  readonly #changed: Uint8Array;

  constructor(map: Pathmap) {
    const step = 2 ** map.control.portBits;
    const all = changedHops(map);
    this.#changed = Uint8Array.from({ length: all.length / step }, (_, change) => all[change * step]!);
  }

  /** Number of hops at which a change of the field moves every flow. */
  changed(change: number): number {
    return this.#changed[change]!;
  }

  /**
   * A value that was not tried. It maximises the number of changed hops relative to each value of `tried`, which have failed; of
   * several such values one is drawn, so that the flows of a failed path spread. When all were tried, it begins again
   * with the last one.
   */
  next(tried: readonly number[], random: Random): number {
    const used = new Set(tried);
    if (used.size >= this.#changed.length) {
      const last = tried.at(-1)!;
      return this.#changed.length === 1 ? last : this.next([last], random);
    }
    let best: number[] = [];
    let most = -1;
    for (let value = 0; value < this.#changed.length; value++) {
      if (used.has(value)) continue;
      let least = Number.POSITIVE_INFINITY;
      for (const old of tried) least = Math.min(least, this.#changed[value ^ old]!);
      if (least > most) {
        most = least;
        best = [];
      }
      if (least === most) best.push(value);
    }
    return random.pick(best);
  }
}
