/**
 * Max-min fair rates of bundles by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2): the rates of all flows grow
 * together until a resource is full; its flows keep their rates, and the others continue. The resource that is full first need not be
 * searched: a resource whose share is the least one for each of its flows depends on no other, since shares of others only grow. So a round
 * fixes the flows of all such resources at once, without an order. Where few resources are of this kind, since many flows share
 * each, the remaining bundles are filled in order. The columns of the bundles alone determine the rates, to the last bit: sums are made anew
 * and in the order of the bundles, and a solution chooses between rounds and order by its own first round.
 */
import type { Bundles } from "./bundles.js";
import { OpenBundles } from "./open-bundles.js";
import { OrderedFilling } from "./ordered-filling.js";
import { ResourceLoads } from "./resource-loads.js";

/** Assigns rates to bundles. */
export interface Allocator {
  /** Sets `bundles.rate` of all bundles whose weight is above 0, for the next `stepNs` nanoseconds. */
  allocate(bundles: Bundles, stepNs: number): void;
  /** The capacities that the allocator was made with have other values. Absent: it reads them each time. */
  capacityChanged?(): void;
}

/** Rounds continue while each fixes at least this share of the bundles without a rate; the first one must fix {@link PROMISING} times as many. */
const DEFAULT_WORTHWHILE = 1 / 8;
const PROMISING = 2.5;

/** The limit of a bundle in this round, where it is not one resource with the least share on its path. */
const OWN_LIMIT = -1;
const SEVERAL = -2;
/** The bundle gets its rate in this round. */
const FIXED = -3;

/** A slot with one bundle; a slot with several, before the first of them is collected. */
const ALONE = -1;
const UNSEEN = -2;

export class MaxMin implements Allocator {
  readonly #loads: ResourceLoads;
  readonly #bundles = new OpenBundles();
  readonly #ordered = new OrderedFilling();
  /** By slot of the loads: {@link ALONE}, or the number of a slot with several bundles, in the order in which the bundles meet them. */
  #shared = new Int32Array(0);
  /** By slot with several bundles: capacity left for a weight of 1; bundles whose least share it is. */
  #share = new Float64Array(0);
  #least = new Int32Array(0);
  /** By index in the columns of open bundles: level in this round, and its limiting resource. */
  #level = new Float64Array(0);
  #by = new Int32Array(0);

  /** `capacity`: by resource, in bytes per nanosecond. `worthwhile`: see {@link DEFAULT_WORTHWHILE}; 0: rounds alone. */
  constructor(
    capacity: Float64Array,
    private readonly worthwhile = DEFAULT_WORTHWHILE,
  ) {
    this.#loads = new ResourceLoads(capacity);
  }

  capacityChanged(): void {
    this.#loads.capacityChanged();
  }

  allocate(bundles: Bundles): void {
    // Without a change since the last solution, all rates stay.
    if (!this.#loads.update(bundles)) return;
    this.#reset(bundles);
    const slots = this.#collect(bundles);
    const own = this.#bundles;
    if (this.#round(slots, bundles.rate) >= PROMISING * this.worthwhile)
      while (own.count > 0 && this.#round(slots, bundles.rate) >= this.worthwhile);
    if (own.count > 0) this.#ordered.run(own, slots, bundles.rate);
  }

  /** Returns the share of the open bundles that are fixed. */
  #round(slots: number, rate: Float64Array): number {
    const before = this.#bundles.count;
    this.#least.fill(0, 0, slots);
    this.#findLeast();
    this.#decide();
    this.#fix(rate);
    return 1 - this.#bundles.count / before;
  }

  /** Resets all resources to their state without rates. */
  #reset({ size, stride }: Bundles): void {
    const { slots, bundles } = this.#loads;
    this.#bundles.fit(slots, size, stride);
    if (this.#share.length < slots) {
      this.#shared = new Int32Array(2 * slots);
      this.#share = new Float64Array(2 * slots);
      this.#least = new Int32Array(2 * slots);
    }
    if (this.#level.length < size) {
      this.#level = new Float64Array(2 * size);
      this.#by = new Int32Array(2 * size);
    }
    const shared = this.#shared;
    for (let slot = 0; slot < slots; slot++) shared[slot] = bundles[slot]! <= 1 ? ALONE : UNSEEN;
  }

  /**
   * Collects the bundles, and sums the weights of each resource. A resource with one bundle is a limit of this bundle, and is left out; the others
   * get consecutive numbers, since the rounds read them alone. Returns how many there are.
   */
  #collect({ size, length, stride, weight, limit }: Bundles): number {
    const { paths, capacity, bundles } = this.#loads;
    const own = this.#bundles;
    const { path, left, open } = own;
    const shared = this.#shared;
    let slots = 0;
    let count = 0;
    let to = 0;
    for (let bundle = 0; bundle < size; bundle++) {
      const heavy = weight[bundle]!;
      if (heavy === 0) continue;
      const from = bundle * stride;
      const end = from + length[bundle]!;
      let most = limit[bundle]!;
      for (let at = from; at < end; at++) {
        const resource = paths[at]!;
        let slot = shared[resource]!;
        if (slot === ALONE) {
          most = Math.min(most, capacity[resource]! / heavy);
          continue;
        }
        if (slot === UNSEEN) {
          slot = shared[resource] = slots++;
          left[2 * slot] = capacity[resource]!;
          left[2 * slot + 1] = 0;
          open[slot] = bundles[resource]!;
        }
        left[2 * slot + 1]! += heavy;
        path[to++] = slot;
      }
      own.bundle[count] = bundle;
      own.weight[count] = heavy;
      own.limit[count] = most;
      this.#by[count] = SEVERAL;
      own.end[count++] = to;
    }
    own.count = count;
    const share = this.#share;
    for (let slot = 0; slot < slots; slot++) share[slot] = left[2 * slot]! / left[2 * slot + 1]!;
    return slots;
  }

  /** Finds the least share on each path, and counts for each resource the bundles whose least share it is. */
  #findLeast(): void {
    const { count, path, end, limit } = this.#bundles;
    const [share, least, level, by] = [this.#share, this.#least, this.#level, this.#by];
    let from = 0;
    for (let place = 0; place < count; place++) {
      const to = end[place]!;
      const before = by[place]!;
      // Shares only grow: the least one of the round before, unchanged, still is the least.
      if (before >= 0 && share[before] === level[place]) {
        least[before]!++;
        from = to;
        continue;
      }
      const most = limit[place]!;
      let own = most;
      for (let at = from; at < to; at++) {
        const one = share[path[at]!]!;
        own = one < own ? one : own;
      }
      let found = OWN_LIMIT;
      if (own < most)
        for (let at = from; at < to; at++) {
          const slot = path[at]!;
          if (share[slot] !== own) continue;
          least[slot]!++;
          found = found === OWN_LIMIT ? slot : SEVERAL;
        }
      level[place] = own;
      by[place] = found;
      from = to;
    }
  }

  /** Marks the bundles that are fixed in this round: by their limits, or by a resource that has the least share for each of its bundles. */
  #decide(): void {
    const bundles = this.#bundles;
    const { count, path, end, open } = bundles;
    const [share, least, level, by] = [this.#share, this.#least, this.#level, this.#by];
    for (let place = 0; place < count; place++) {
      const slot = by[place]!;
      if (slot >= 0) {
        if (least[slot] === open[slot]) by[place] = FIXED;
      } else if (slot === OWN_LIMIT) by[place] = FIXED;
      else
        for (let at = bundles.start(place); at < end[place]!; at++) {
          const one = path[at]!;
          if (share[one] === level[place] && least[one] === open[one]) by[place] = FIXED;
        }
    }
  }

  /** Gives the marked bundles their rates; the others move up in the columns. */
  #fix(rate: Float64Array): void {
    const bundles = this.#bundles;
    const { count, bundle, weight, limit, path, end, left, open } = bundles;
    const [share, level, by] = [this.#share, this.#level, this.#by];
    let from = 0;
    let kept = 0;
    let last = 0;
    for (let place = 0; place < count; place++) {
      const to = end[place]!;
      const own = weight[place]!;
      if (by[place] === FIXED) {
        // The remaining capacity of a full resource can be below 0 by rounding.
        const speed = Math.max(0, level[place]!);
        rate[bundle[place]!] = speed;
        for (let at = from; at < to; at++) {
          const slot = path[at]!;
          left[2 * slot]! -= own * speed;
          left[2 * slot + 1]! -= own;
          open[slot]!--;
          share[slot] = left[2 * slot]! / left[2 * slot + 1]!;
        }
      } else {
        bundle[kept] = bundle[place]!;
        weight[kept] = own;
        limit[kept] = limit[place]!;
        level[kept] = level[place]!;
        by[kept] = by[place]!;
        for (let at = from; at < to; at++) path[last++] = path[at]!;
        end[kept++] = last;
      }
      from = to;
    }
    bundles.count = kept;
  }
}
