/**
 * Max-min fair rates of bundles by progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2): the rates of all flows grow
 * together until a resource is full; its flows keep what they have, and the others go on.
 */
import type { Bundles } from "./bundles.js";

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
  /** Resources by their fair share, the least first: a binary heap. A share only grows, so an old key is a lower bound. */
  readonly #heap: Int32Array;
  readonly #key: Float64Array;
  #heapSize = 0;

  /** `capacity`: by resource, in bytes per nanosecond. */
  constructor(private readonly capacity: Float64Array) {
    const resources = capacity.length;
    this.#left = new Float64Array(resources);
    this.#weight = new Float64Array(resources);
    this.#unfixed = new Int32Array(resources);
    this.#first = new Int32Array(resources);
    this.#seen = new Int32Array(resources);
    this.#used = new Int32Array(resources);
    this.#heap = new Int32Array(resources);
    this.#key = new Float64Array(resources);
  }

  allocate(bundles: Bundles, active: Int32Array, count: number): void {
    const used = this.#count(bundles, active, count);
    this.#list(bundles, active, count, used);
    const { rate, limit } = bundles;
    for (let i = 0; i < count; i++) rate[active[i]!] = -1;
    const limits = distinct(limit, active, count);
    const [key, heap] = [this.#key, this.#heap];
    let next = 0;
    let unfixed = count;
    while (unfixed > 0) {
      const top = this.#heapSize === 0 ? Number.POSITIVE_INFINITY : key[heap[0]!]!;
      const bound = next < limits.length ? limits[next]! : Number.POSITIVE_INFINITY;
      if (bound <= top) {
        next++;
        for (let i = 0; i < count; i++) {
          const bundle = active[i]!;
          if (rate[bundle] !== -1 || limit[bundle] !== bound) continue;
          this.#fix(bundles, bundle, bound);
          unfixed--;
        }
        continue;
      }
      const resource = heap[0]!;
      if (this.#unfixed[resource] === 0) {
        this.#popTop();
        continue;
      }
      const share = Math.max(0, this.#left[resource]!) / this.#weight[resource]!;
      if (share > key[resource]!) {
        key[resource] = share;
        this.#sink(0);
        continue;
      }
      this.#popTop();
      // The share of a resource never falls, but for rounding.
      const level = key[resource]!;
      const from = this.#first[resource]!;
      const members = this.#members;
      for (let at = from; this.#unfixed[resource]! > 0; at++) {
        const bundle = members[at]!;
        if (rate[bundle] !== -1) continue;
        this.#fix(bundles, bundle, level);
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
    let total = 0;
    for (let i = 0; i < used; i++) {
      const resource = this.#used[i]!;
      total += this.#unfixed[resource]!;
      // Filled from the end, so that it is the first one afterwards.
      this.#first[resource] = total;
      this.#left[resource] = this.capacity[resource]!;
      this.#key[resource] = this.capacity[resource]! / this.#weight[resource]!;
      this.#heap[i] = resource;
    }
    if (this.#members.length < total) this.#members = new Int32Array(2 * total);
    const [members, first] = [this.#members, this.#first];
    for (let i = count - 1; i >= 0; i--) {
      const bundle = active[i]!;
      const from = bundle * stride;
      const end = from + length[bundle]!;
      for (let at = from; at < end; at++) members[--first[path[at]!]!] = bundle;
    }
    this.#heapSize = used;
    for (let at = (used >> 1) - 1; at >= 0; at--) this.#sink(at);
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

  #popTop(): void {
    const last = --this.#heapSize;
    this.#heap[0] = this.#heap[last]!;
    if (last > 0) this.#sink(0);
  }

  #sink(at: number): void {
    const [heap, key, size] = [this.#heap, this.#key, this.#heapSize];
    const own = heap[at]!;
    const ownKey = key[own]!;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && key[heap[child + 1]!]! < key[heap[child]!]!) child++;
      if (key[heap[child]!]! >= ownKey) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = own;
  }
}

/** The finite limits of the active bundles, ascending: as many as there are rates of NICs. */
function distinct(limit: Float64Array, active: Int32Array, count: number): number[] {
  const values = new Set<number>();
  let last = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const own = limit[active[i]!]!;
    if (own === last) continue;
    last = own;
    if (own < Number.POSITIVE_INFINITY) values.add(own);
  }
  return [...values].sort((a, b) => a - b);
}
