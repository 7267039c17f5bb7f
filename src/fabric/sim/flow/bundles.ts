/**
 * Bundles: flows that take the same path and get equal rates. A bundle is one flow (or subflow), or all flows of two racks in
 * the same bucket of a hash. In columns; row i of all is bundle i.
 */

/** The columns that routers read. Columns are replaced when they grow: read them from here each time. */
export interface RoutedBundles {
  /** Switches of the source and of the destination. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** 32 bits that represent the header fields which switches hash. */
  readonly hash: Int32Array;
}

export class Bundles implements RoutedBundles {
  from = new Int32Array(0);
  to = new Int32Array(0);
  hash = new Int32Array(0);
  /** Sum of the weights of its flows; 0: none. */
  weight = new Float64Array(0);
  /** Maximum rate of a flow of weight 1, in bytes per nanosecond. */
  limit = new Float64Array(0);
  /** Rate of a flow of weight 1, in bytes per nanosecond; 0 for a bundle that has just got its first flow. */
  rate = new Float64Array(0);
  /** Resources on the path, from `bundle * stride` on: of the sender, of the receiver, then links between switches. */
  path = new Int32Array(0);
  length = new Uint8Array(0);
  /** Changes whenever the path changes. */
  version = new Int32Array(0);
  size = 0;
  readonly #free: number[] = [];

  /** `stride`: maximum number of resources of a path. */
  constructor(readonly stride: number) {}

  /** Adds `count` consecutive bundles; returns the first. */
  add(count = 1): number {
    if (count === 1) {
      const free = this.#free.pop();
      if (free !== undefined) return free;
    }
    const first = this.size;
    this.size += count;
    if (this.size > this.from.length) this.#grow(Math.max(this.size, 2 * this.from.length, 1024));
    return first;
  }

  /** The number may be given to another bundle. */
  remove(bundle: number): void {
    this.weight[bundle] = 0;
    this.length[bundle] = 0;
    this.#free.push(bundle);
  }

  #grow(room: number): void {
    const wider = <T extends Int32Array | Float64Array | Uint8Array>(wide: T, old: T): T => {
      wide.set(old);
      return wide;
    };
    this.from = wider(new Int32Array(room), this.from);
    this.to = wider(new Int32Array(room), this.to);
    this.hash = wider(new Int32Array(room), this.hash);
    this.weight = wider(new Float64Array(room), this.weight);
    this.limit = wider(new Float64Array(room), this.limit);
    this.rate = wider(new Float64Array(room), this.rate);
    this.path = wider(new Int32Array(room * this.stride), this.path);
    this.length = wider(new Uint8Array(room), this.length);
    this.version = wider(new Int32Array(room), this.version);
  }
}
