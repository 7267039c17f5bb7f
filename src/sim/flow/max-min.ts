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

/** Numbers of a resource in the state: capacity that is left, weight and number of bundles without a rate, round that it was used in. */
const FIELDS = 4;
const LEFT = 0;
const WEIGHT = 1;
const UNFIXED = 2;
const ROUND = 3;

export class MaxMin implements Allocator {
  /** By resource, {@link FIELDS} numbers each, so that one access to memory has them all: see the constants. */
  readonly #state: Float64Array;
  readonly #first: Int32Array;
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
    this.#state = new Float64Array(resources * FIELDS);
    this.#first = new Int32Array(resources);
    this.#used = new Int32Array(resources);
  }

  allocate(bundles: Bundles, active: Int32Array, count: number): void {
    const used = this.#count(bundles, active, count);
    this.#list(bundles, active, count, used);
    const { rate, limit } = bundles;
    for (let i = 0; i < count; i++) rate[active[i]!] = -1;
    const [shares, limits, state] = [this.#shares, this.#limits, this.#state];
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
      const at = resource * FIELDS;
      if (state[at + UNFIXED] === 0) {
        shares.pop();
        continue;
      }
      const share = Math.max(0, state[at + LEFT]!) / state[at + WEIGHT]!;
      if (share > top) {
        shares.raise(share);
        continue;
      }
      shares.pop();
      // The share of a resource never falls, but for rounding.
      for (let member = this.#first[resource]!; state[at + UNFIXED]! > 0; member++) {
        const bundle = this.#members[member]!;
        if (rate[bundle] !== -1) continue;
        this.#fix(bundles, bundle, top);
        unfixed--;
      }
    }
  }

  /** Weights and numbers of bundles by resource; the number of resources that are used. */
  #count({ path, length, stride, weight }: Bundles, active: Int32Array, count: number): number {
    const round = ++this.#round;
    const state = this.#state;
    let used = 0;
    for (let i = 0; i < count; i++) {
      const bundle = active[i]!;
      const own = weight[bundle]!;
      const from = bundle * stride;
      const end = from + length[bundle]!;
      for (let at = from; at < end; at++) {
        const resource = path[at]!;
        const entry = resource * FIELDS;
        if (state[entry + ROUND] !== round) {
          state[entry + ROUND] = round;
          this.#used[used++] = resource;
          state[entry + WEIGHT] = 0;
          state[entry + UNFIXED] = 0;
        }
        state[entry + WEIGHT]! += own;
        state[entry + UNFIXED]!++;
      }
    }
    return used;
  }

  /** Lists the bundles of each resource, and fills the heap. */
  #list({ path, length, stride }: Bundles, active: Int32Array, count: number, used: number): void {
    const [shares, state] = [this.#shares, this.#state];
    shares.clear();
    let total = 0;
    for (let i = 0; i < used; i++) {
      const resource = this.#used[i]!;
      const entry = resource * FIELDS;
      total += state[entry + UNFIXED]!;
      // Filled from the end, so that it is the first one afterwards.
      this.#first[resource] = total;
      state[entry + LEFT] = this.capacity[resource]!;
      shares.add(this.capacity[resource]! / state[entry + WEIGHT]!, resource);
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
    const state = this.#state;
    const own = weight[bundle]!;
    const taken = own * level;
    rate[bundle] = level;
    const from = bundle * stride;
    const end = from + length[bundle]!;
    for (let at = from; at < end; at++) {
      const entry = path[at]! * FIELDS;
      state[entry + LEFT]! -= taken;
      state[entry + WEIGHT]! -= own;
      state[entry + UNFIXED]!--;
    }
  }
}
