/**
 * Flows of many bundles, in the order in which they end: for each bundle a skew heap (Sleator and Tarjan, SIAM Journal on Computing 15,
 * 1986) over one pool of flows in columns. A flow costs 32 bytes; a slot is reused after its flow has ended.
 */

const NONE = -1;

export class FlowHeaps {
  /** First flow by bundle; -1: none. */
  #root = new Int32Array(0);
  /** By flow. */
  #key = new Float64Array(0);
  #start = new Float64Array(0);
  #left = new Int32Array(0);
  #right = new Int32Array(0);
  /** Free slots, linked by `#left`. */
  #free = NONE;
  #places = 0;

  /** Adds a flow. `key`: service per flow of its bundle at which this flow ends. `start`: returned by {@link pop}. */
  push(bundle: number, key: number, start: number): void {
    if (bundle >= this.#root.length) {
      const room = Math.max(bundle + 1, 2 * this.#root.length, 1024);
      const wider = new Int32Array(room).fill(NONE);
      wider.set(this.#root);
      this.#root = wider;
    }
    const flow = this.#place();
    this.#key[flow] = key;
    this.#start[flow] = start;
    this.#left[flow] = NONE;
    this.#right[flow] = NONE;
    this.#root[bundle] = this.#merged(this.#root[bundle]!, flow);
  }

  /** Key of the flow that ends first. The bundle has one. */
  leastKey(bundle: number): number {
    return this.#key[this.#root[bundle]!]!;
  }

  /** Removes the flow that ends first; returns its start. */
  pop(bundle: number): number {
    const flow = this.#root[bundle]!;
    this.#root[bundle] = this.#merged(this.#left[flow]!, this.#right[flow]!);
    this.#left[flow] = this.#free;
    this.#free = flow;
    return this.#start[flow]!;
  }

  #place(): number {
    if (this.#free !== NONE) {
      const flow = this.#free;
      this.#free = this.#left[flow]!;
      return flow;
    }
    if (this.#places === this.#key.length) {
      const room = Math.max(2 * this.#places, 4096);
      const grown = <T extends Int32Array | Float64Array>(wide: T, old: T): T => {
        wide.set(old);
        return wide;
      };
      this.#key = grown(new Float64Array(room), this.#key);
      this.#start = grown(new Float64Array(room), this.#start);
      this.#left = grown(new Int32Array(room), this.#left);
      this.#right = grown(new Int32Array(room), this.#right);
    }
    return this.#places++;
  }

  /** Merges two heaps: along the right sides, exchanging the children. */
  #merged(a: number, b: number): number {
    const [key, left, right] = [this.#key, this.#left, this.#right];
    let root = NONE;
    let parent = NONE;
    while (a !== NONE && b !== NONE) {
      if (key[b]! < key[a]!) [a, b] = [b, a];
      if (parent === NONE) root = a;
      else left[parent] = a;
      parent = a;
      const rest = right[a]!;
      right[a] = left[a]!;
      a = rest;
    }
    const rest = a === NONE ? b : a;
    if (parent === NONE) return rest;
    left[parent] = rest;
    return root;
  }
}
