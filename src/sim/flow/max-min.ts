/**
 * Max-min fair rates of bundles by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2): the rates of all flows grow
 * together until a resource is full; its flows keep what they have, and the others go on.
 */
import type { Bundles } from "./bundles.js";
import { KeyHeap } from "./key-heap.js";

/** Who gives bundles their rates. */
export interface Allocator {
  /** Sets `bundles.rate` of the first `count` bundles of `active`, for the next `stepNs` nanoseconds. Their weights are above 0. */
  allocate(bundles: Bundles, active: Int32Array, count: number, stepNs: number): void;
}

export class MaxMin implements Allocator {
  /** By resource. */
  readonly #left: Float64Array;
  readonly #weight: Float64Array;
  readonly #unfixed: Int32Array;
  readonly #first: Int32Array;
  readonly #seen: Int32Array;
  readonly #used: Int32Array;
  #round = 0;
  /** Bundles of each resource that is used, one resource after the other. */
  #members = new Int32Array(1024);
  /** Resources by their fair share. A share only grows, so an old key is a lower bound. */
  readonly #shares = new KeyHeap();
  /** Bundles by their limits. */
  readonly #limits = new KeyHeap();

  /** `capacity`: by resource, in bytes per nanosecond. */
  constructor(private readonly capacity: Float64Array) {
    const resources = capacity.length;
    this.#left = new Float64Array(resources);
    this.#weight = new Float64Array(resources);
    this.#unfixed = new Int32Array(resources);
    this.#first = new Int32Array(resources);
    this.#seen = new Int32Array(resources);
    this.#used = new Int32Array(resources);
  }

  allocate(bundles: Bundles, active: Int32Array, count: number): void {
    const used = this.#count(bundles, active, count);
    this.#list(bundles, active, count, used);
    const { rate, limit } = bundles;
    for (let i = 0; i < count; i++) rate[active[i]!] = -1;
    const [shares, limits] = [this.#shares, this.#limits];
    limits.clear();
    for (let i = 0; i < count; i++) {
      const bundle = active[i]!;
      if (limit[bundle]! < Number.POSITIVE_INFINITY) limits.add(limit[bundle]!, bundle);
    }
    limits.order();
    for (let unfixed = count; unfixed > 0; ) {
      const top = shares.leastKey;
      if (limits.leastKey <= top) {
        const bundle = limits.least;
        const own = limits.leastKey;
        limits.pop();
        if (rate[bundle] !== -1) continue;
        this.#fix(bundles, bundle, own);
        unfixed--;
        continue;
      }
      const resource = shares.least;
      if (this.#unfixed[resource] === 0) {
        shares.pop();
        continue;
      }
      const share = Math.max(0, this.#left[resource]!) / this.#weight[resource]!;
      if (share > top) {
        shares.raise(share);
        continue;
      }
      shares.pop();
      // The share of a resource never falls, but for rounding.
      for (let at = this.#first[resource]!; this.#unfixed[resource]! > 0; at++) {
        const bundle = this.#members[at]!;
        if (rate[bundle] !== -1) continue;
        this.#fix(bundles, bundle, top);
        unfixed--;
      }
    }
  }

  /** Weights and numbers of bundles by resource; the number of resources that are used. */
  #count({ path, length, stride, weight }: Bundles, active: Int32Array, count: number): number {
    const round = ++this.#round;
    let used = 0;
    for (let i = 0; i < count; i++) {
      const bundle = active[i]!;
      const own = weight[bundle]!;
      const from = bundle * stride;
      const end = from + length[bundle]!;
      for (let at = from; at < end; at++) {
        const resource = path[at]!;
        if (this.#seen[resource] !== round) {
          this.#seen[resource] = round;
          this.#used[used++] = resource;
          this.#weight[resource] = 0;
          this.#unfixed[resource] = 0;
        }
        this.#weight[resource]! += own;
        this.#unfixed[resource]!++;
      }
    }
    return used;
  }

  /** Lists the bundles of each resource, and fills the heap. */
  #list({ path, length, stride }: Bundles, active: Int32Array, count: number, used: number): void {
    const shares = this.#shares;
    shares.clear();
    let total = 0;
    for (let i = 0; i < used; i++) {
      const resource = this.#used[i]!;
      total += this.#unfixed[resource]!;
      // Filled from the end, so that it is the first one afterwards.
      this.#first[resource] = total;
      this.#left[resource] = this.capacity[resource]!;
      shares.add(this.capacity[resource]! / this.#weight[resource]!, resource);
    }
    if (this.#members.length < total) this.#members = new Int32Array(2 * total);
    const [members, first] = [this.#members, this.#first];
    for (let i = count - 1; i >= 0; i--) {
      const bundle = active[i]!;
      const from = bundle * stride;
      const end = from + length[bundle]!;
      for (let at = from; at < end; at++) members[--first[path[at]!]!] = bundle;
    }
    shares.order();
  }

  #fix({ path, length, stride, weight, rate }: Bundles, bundle: number, level: number): void {
    const own = weight[bundle]!;
    const taken = own * level;
    rate[bundle] = level;
    const from = bundle * stride;
    const end = from + length[bundle]!;
    for (let at = from; at < end; at++) {
      const resource = path[at]!;
      this.#left[resource]! -= taken;
      this.#weight[resource]! -= own;
      this.#unfixed[resource]!--;
    }
  }
}
