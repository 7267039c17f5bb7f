/**
 * Progressive filling in the order of the shares: the resource that is full first, of all. Each resource and bundle is looked at a few times
 * alone, whatever depends on what; the price is a heap.
 */
import { KeyHeap } from "./key-heap.js";
import type { OpenBundles } from "./open-bundles.js";

export class OrderedFilling {
  /** Bundles of each slot, one slot after the other, and where those of a slot begin. */
  #members = new Int32Array(0);
  #first = new Int32Array(0);
  #fixed = new Uint8Array(0);
  /** Slots by their shares. A share only grows, so an old key is a lower bound. */
  readonly #shares = new KeyHeap();
  /** Bundles by their limits. */
  readonly #limits = new KeyHeap();

  /** Gives all open bundles their rates. */
  run(bundles: OpenBundles, slots: number, rate: Float64Array): void {
    this.#list(bundles, slots);
    const [shares, limits] = [this.#shares, this.#limits];
    const { left, open } = bundles;
    for (let unfixed = bundles.count; unfixed > 0; ) {
      const top = shares.leastKey;
      if (limits.leastKey <= top) {
        const own = limits.leastKey;
        const place = limits.least;
        limits.pop();
        if (this.#fixed[place] === 1) continue;
        this.#fix(bundles, place, own, rate);
        unfixed--;
        continue;
      }
      const slot = shares.least;
      if (open[slot] === 0) {
        shares.pop();
        continue;
      }
      const share = Math.max(0, left[2 * slot]!) / left[2 * slot + 1]!;
      if (share > top) {
        shares.raise(share);
        continue;
      }
      shares.pop();
      // The share of a slot never falls, but for rounding.
      for (let member = this.#first[slot]!; open[slot]! > 0; member++) {
        const place = this.#members[member]!;
        if (this.#fixed[place] === 1) continue;
        this.#fix(bundles, place, top, rate);
        unfixed--;
      }
    }
  }

  /** Lists the bundles of each slot, and fills the heaps. */
  #list(bundles: OpenBundles, slots: number): void {
    const { count, left, open, limit, path } = bundles;
    const [shares, limits] = [this.#shares, this.#limits];
    if (this.#first.length < slots) this.#first = new Int32Array(2 * slots);
    if (this.#fixed.length < count) this.#fixed = new Uint8Array(2 * count);
    this.#fixed.fill(0, 0, count);
    shares.clear();
    limits.clear();
    let total = 0;
    for (let slot = 0; slot < slots; slot++) {
      if (open[slot] === 0) continue;
      total += open[slot]!;
      // Filled from the end, so that it is the first one afterwards.
      this.#first[slot] = total;
      shares.add(Math.max(0, left[2 * slot]!) / left[2 * slot + 1]!, slot);
    }
    if (this.#members.length < total) this.#members = new Int32Array(2 * total);
    const [members, first] = [this.#members, this.#first];
    for (let place = count - 1; place >= 0; place--) {
      for (let at = bundles.start(place); at < bundles.end[place]!; at++)
        members[--first[path[at]!]!] = place;
      if (limit[place]! < Number.POSITIVE_INFINITY) limits.add(limit[place]!, place);
    }
    shares.order();
    limits.order();
  }

  #fix(bundles: OpenBundles, place: number, level: number, rate: Float64Array): void {
    const { left, open, path } = bundles;
    const own = bundles.weight[place]!;
    this.#fixed[place] = 1;
    rate[bundles.bundle[place]!] = level;
    for (let at = bundles.start(place); at < bundles.end[place]!; at++) {
      const slot = path[at]!;
      left[2 * slot]! -= own * level;
      left[2 * slot + 1]! -= own;
      open[slot]!--;
    }
  }
}
