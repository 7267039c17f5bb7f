/**
 * Bundles: flows that take the same path and are served alike. A bundle is one flow (or subflow), or all flows of two racks that fall into
 * the same bucket of a hash. In columns; row i of all is bundle i.
 */

/** What routers read of a bundle. Columns are replaced when they grow: read them from here each time. */
export interface RoutedBundles {
  /** Switches of the source and of the destination. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** 32 bits that stand for the header fields that switches hash. */
  readonly hash: Int32Array;
}

export class Bundles implements RoutedBundles {
  from = new Int32Array(0);
  to = new Int32Array(0);
  hash = new Int32Array(0);
  /** Sum of the weights of its flows; 0: none. */
  weight = new Float64Array(0);
  /** Most that a flow of weight 1 can get, in bytes per nanosecond. */
  limit = new Float64Array(0);
  /** What a flow of weight 1 gets, in bytes per nanosecond; 0 for a bundle that has just got its first flow. */
  rate = new Float64Array(0);
  /** Resources on the way, from `bundle * stride` on: of the sender, of the receiver, then links between switches. */
  path = new Int32Array(0);
  length = new Uint8Array(0);
  /** Another number each time that the path is another one. */
  version = new Int32Array(0);
  size = 0;
  readonly #free: number[] = [];

  /** `stride`: most resources of a path. */
  constructor(readonly stride: number) {}

  /** The first of `count` new bundles in a row. */
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
