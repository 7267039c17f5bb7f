/**
 * Max-min fair rates of bundles by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2): the rates of all flows grow
 * together until a resource is full; its flows keep what they have, and the others go on. Which resource of all is full first is not asked:
 * a resource whose share is the least for each of its flows waits for no other one, since shares of others only grow. So a round fixes the
 * flows of all such resources at once, and there is no order to keep. Each round but the last fixes about half of the flows.
 */
import type { Bundles } from "./bundles.js";
import { ResourceLoads } from "./resource-loads.js";

/** Who gives bundles their rates. */
export interface Allocator {
  /** Sets `bundles.rate` of all bundles whose weight is above 0, for the next `stepNs` nanoseconds. */
  allocate(bundles: Bundles, stepNs: number): void;
}

/** What limits a flow in this round, where it is not one resource whose share is the least on its path. */
const OWN_LIMIT = -1;
const SEVERAL = -2;
/** The flow gets its rate in this round. */
const FIXED = -3;

export class MaxMin implements Allocator {
  readonly #loads: ResourceLoads;
  /** By slot: capacity and weight that are left, two numbers each; bundles without a rate; bundles that find their least share here. */
  #left = new Float64Array(0);
  #open = new Int32Array(0);
  #least = new Int32Array(0);
  /** What is left of the capacity for a weight of 1. */
  #share = new Float64Array(0);
  /** Bundles without a rate, in columns: number, weight, limit, level in this round, what limits it, end of its path. */
  #bundle = new Int32Array(0);
  #weight = new Float64Array(0);
  #limit = new Float64Array(0);
  #level = new Float64Array(0);
  #by = new Int32Array(0);
  #end = new Int32Array(0);
  /** Their paths one after the other, as slots. */
  #path = new Int32Array(0);

  /** `capacity`: by resource, in bytes per nanosecond. */
  constructor(capacity: Float64Array) {
    this.#loads = new ResourceLoads(capacity);
  }

  allocate(bundles: Bundles): void {
    // Without a change since the last time, all keep their rates.
    if (!this.#loads.update(bundles)) return;
    if (this.#bundle.length < bundles.size) this.#grow(bundles.size, bundles.stride);
    this.#reset();
    for (let open = this.#collect(bundles); open > 0; ) {
      this.#least.fill(0, 0, this.#loads.slots);
      this.#findLeast(open);
      this.#decide(open);
      open = this.#fix(open, bundles.rate);
    }
  }

  /** All resources as they are without any rates. */
  #reset(): void {
    const { slots, capacity, weight, bundles } = this.#loads;
    if (this.#share.length < slots) {
      const room = capacity.length;
      this.#left = new Float64Array(2 * room);
      this.#open = new Int32Array(room);
      this.#least = new Int32Array(room);
      this.#share = new Float64Array(room);
    }
    const [left, open, share] = [this.#left, this.#open, this.#share];
    for (let slot = 0; slot < slots; slot++) {
      left[2 * slot] = capacity[slot]!;
      left[2 * slot + 1] = weight[slot]!;
      open[slot] = bundles[slot]!;
      share[slot] = capacity[slot]! / weight[slot]!;
    }
  }

  /** Takes over the bundles; returns their number. A resource with one bundle is a limit of this bundle, and is left out. */
  #collect({ size, length, stride, weight, limit }: Bundles): number {
    const { paths, bundles } = this.#loads;
    const share = this.#share;
    const [ownBundle, ownWeight, ownLimit] = [this.#bundle, this.#weight, this.#limit];
    const [ownPath, ownEnd] = [this.#path, this.#end];
    let count = 0;
    let to = 0;
    for (let bundle = 0; bundle < size; bundle++) {
      if (weight[bundle] === 0) continue;
      const from = bundle * stride;
      const end = from + length[bundle]!;
      let most = limit[bundle]!;
      for (let at = from; at < end; at++) {
        const slot = paths[at]!;
        const alone = bundles[slot] === 1;
        if (alone) most = Math.min(most, share[slot]!);
        ownPath[to] = slot;
        to += alone ? 0 : 1;
      }
      ownBundle[count] = bundle;
      ownWeight[count] = weight[bundle]!;
      ownLimit[count] = most;
      ownEnd[count++] = to;
    }
    return count;
  }

  /** Finds the least share on each path, and counts for each resource how many bundles find it there. */
  #findLeast(open: number): void {
    const [share, least, path, end] = [this.#share, this.#least, this.#path, this.#end];
    const [limit, level, by] = [this.#limit, this.#level, this.#by];
    let from = 0;
    for (let flow = 0; flow < open; flow++) {
      const to = end[flow]!;
      const most = limit[flow]!;
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
      level[flow] = own;
      by[flow] = found;
      from = to;
    }
  }

  /** Marks the bundles that are fixed in this round: by their limits, or by a resource whose share is the least for each of its bundles. */
  #decide(open: number): void {
    const [share, least, path, end] = [this.#share, this.#least, this.#path, this.#end];
    const [level, by, openOf] = [this.#level, this.#by, this.#open];
    for (let flow = 0; flow < open; flow++) {
      const slot = by[flow]!;
      if (slot >= 0) {
        if (least[slot] === openOf[slot]) by[flow] = FIXED;
      } else if (slot === OWN_LIMIT) by[flow] = FIXED;
      else
        for (let at = flow === 0 ? 0 : end[flow - 1]!; at < end[flow]!; at++) {
          const one = path[at]!;
          if (share[one] === level[flow] && least[one] === openOf[one]) by[flow] = FIXED;
        }
    }
  }

  /** Gives the marked bundles their rates; the others move up in the columns. Returns their number. */
  #fix(open: number, rate: Float64Array): number {
    const [left, openOf, share, path, end] = [this.#left, this.#open, this.#share, this.#path, this.#end];
    const [bundle, weight, limit] = [this.#bundle, this.#weight, this.#limit];
    const [level, by] = [this.#level, this.#by];
    let from = 0;
    let kept = 0;
    let last = 0;
    for (let flow = 0; flow < open; flow++) {
      const to = end[flow]!;
      const own = weight[flow]!;
      if (by[flow] === FIXED) {
        // What is left of a full resource can be below 0 by rounding.
        const speed = Math.max(0, level[flow]!);
        rate[bundle[flow]!] = speed;
        for (let at = from; at < to; at++) {
          const slot = path[at]!;
          left[2 * slot]! -= own * speed;
          left[2 * slot + 1]! -= own;
          openOf[slot]!--;
          share[slot] = left[2 * slot]! / left[2 * slot + 1]!;
        }
      } else {
        bundle[kept] = bundle[flow]!;
        weight[kept] = own;
        limit[kept] = limit[flow]!;
        for (let at = from; at < to; at++) path[last++] = path[at]!;
        end[kept++] = last;
      }
      from = to;
    }
    return kept;
  }

  #grow(bundles: number, stride: number): void {
    const room = 2 * bundles;
    this.#bundle = new Int32Array(room);
    this.#weight = new Float64Array(room);
    this.#limit = new Float64Array(room);
    this.#level = new Float64Array(room);
    this.#by = new Int32Array(room);
    this.#end = new Int32Array(room);
    this.#path = new Int32Array(room * stride);
  }
}
