/**
 * The number of the bundles on each resource, kept from one solution to the next: only bundles that came, ended, or changed their path are
 * counted again.
 */
import type { Bundles } from "./bundles.js";

/**
 * Resources with bundles are in consecutive slots, so that a solution reads little memory: in a network of
 * 131,712 servers, few hosts send at a time. A free slot is reused.
 */
export class ResourceLoads {
  /** Slots in use are below this number; some of these may be free, and have no bundles. */
  slots = 0;
  /** By slot: bytes per nanosecond, number of its bundles. */
  capacity = new Float64Array(0);
  bundles = new Int32Array(0);
  /** Slots on the path of each bundle, from `bundle * stride` on. */
  paths = new Int32Array(0);
  /** Slot by resource; -1: none. */
  readonly #slotOf: Int32Array;
  readonly #resourceOf: Int32Array;
  readonly #free: Int32Array;
  #freeCount = 0;
  /** The state of each bundle at the last count. */
  #seenWeight = new Float64Array(0);
  #seenLimit = new Float64Array(0);
  #seenVersion = new Int32Array(0);
  #seenLength = new Uint8Array(0);
  #of: Bundles | undefined;
  #capacityChanged = false;

  /** `resourceCapacity`: by resource, in bytes per nanosecond. */
  constructor(private readonly resourceCapacity: Float64Array) {
    const resources = resourceCapacity.length;
    this.#slotOf = new Int32Array(resources).fill(-1);
    this.#resourceOf = new Int32Array(resources);
    this.#free = new Int32Array(resources);
  }

  capacityChanged(): void {
    this.#capacityChanged = true;
  }

  /** Counts the changes; returns whether there are any, weights and limits included. */
  update(bundles: Bundles): boolean {
    if (this.#of !== bundles) this.#clear(bundles);
    const { size, weight, limit, version, rate } = bundles;
    if (this.#seenWeight.length < size) this.#grow(bundles.from.length, bundles.stride);
    const [seenWeight, seenLimit, seenVersion] = [this.#seenWeight, this.#seenLimit, this.#seenVersion];
    let changed = this.#capacityChanged;
    if (changed) {
      for (let slot = 0; slot < this.slots; slot++)
        this.capacity[slot] = this.resourceCapacity[this.#resourceOf[slot]!]!;
      this.#capacityChanged = false;
    }
    for (let bundle = 0; bundle < size; bundle++) {
      const own = weight[bundle]!;
      const seen = seenWeight[bundle]!;
      // A bundle whose flows ended and that got as many new ones has no rate.
      if (own > 0 && (limit[bundle] !== seenLimit[bundle] || rate[bundle] === 0)) {
        seenLimit[bundle] = limit[bundle]!;
        changed = true;
      }
      if (own === seen && (own === 0 || version[bundle] === seenVersion[bundle])) continue;
      changed = true;
      seenWeight[bundle] = own;
      if (own > 0 && seen > 0 && version[bundle] === seenVersion[bundle]) continue;
      if (seen > 0) this.#leave(bundle, bundles.stride);
      if (own > 0) this.#enter(bundle, bundles);
      seenVersion[bundle] = version[bundle]!;
    }
    return changed;
  }

  #leave(bundle: number, stride: number): void {
    const from = bundle * stride;
    const end = from + this.#seenLength[bundle]!;
    for (let at = from; at < end; at++) {
      const slot = this.paths[at]!;
      if (--this.bundles[slot]! > 0) continue;
      this.#slotOf[this.#resourceOf[slot]!] = -1;
      this.#free[this.#freeCount++] = slot;
    }
  }

  #enter(bundle: number, { path, length, stride }: Bundles): void {
    const from = bundle * stride;
    const end = from + length[bundle]!;
    for (let at = from; at < end; at++) {
      const resource = path[at]!;
      let slot = this.#slotOf[resource]!;
      if (slot < 0) slot = this.#take(resource);
      this.bundles[slot]!++;
      this.paths[at] = slot;
    }
    this.#seenLength[bundle] = length[bundle]!;
  }

  #take(resource: number): number {
    const slot = this.#freeCount > 0 ? this.#free[--this.#freeCount]! : this.slots++;
    if (slot === this.capacity.length) {
      const room = Math.max(1024, 2 * slot);
      this.capacity = wider(new Float64Array(room), this.capacity);
      this.bundles = wider(new Int32Array(room), this.bundles);
    }
    this.#slotOf[resource] = slot;
    this.#resourceOf[slot] = resource;
    this.capacity[slot] = this.resourceCapacity[resource]!;
    return slot;
  }

  #clear(bundles: Bundles): void {
    this.#of = bundles;
    this.slots = 0;
    this.#freeCount = 0;
    this.#slotOf.fill(-1);
    this.bundles.fill(0);
    this.#seenWeight.fill(0);
    this.paths = new Int32Array(this.#seenWeight.length * bundles.stride);
  }

  #grow(room: number, stride: number): void {
    this.#seenWeight = wider(new Float64Array(room), this.#seenWeight);
    this.#seenLimit = wider(new Float64Array(room), this.#seenLimit);
    this.#seenVersion = wider(new Int32Array(room), this.#seenVersion);
    this.#seenLength = wider(new Uint8Array(room), this.#seenLength);
    this.paths = wider(new Int32Array(room * stride), this.paths);
  }
}

function wider<T extends Int32Array | Float64Array | Uint8Array>(wide: T, old: T): T {
  wide.set(old);
  return wide;
}
