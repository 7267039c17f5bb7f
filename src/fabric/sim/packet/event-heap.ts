/**
 * Events in the far future: a 4-ary heap in typed arrays, ordered by time and, at equal times, by the order in which the
 * events were pushed.
 */

/** Children of a heap node; four of them keep the tree flat and a node's children in one cache line. */
const ARITY = 4;

export class EventHeap {
  #times: Float64Array;
  /** Push order; a double counts exactly to 2^53. */
  #orders: Float64Array;
  #kinds: Int32Array;
  #arguments: Int32Array;
  #size = 0;
  #nextOrder = 0;

  /** The event of the last successful {@link pop}: time in nanoseconds, kind, argument. */
  time = 0;
  kind = 0;
  argument = 0;

  constructor(capacity = 64) {
    this.#times = new Float64Array(capacity);
    this.#orders = new Float64Array(capacity);
    this.#kinds = new Int32Array(capacity);
    this.#arguments = new Int32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** Time of the earliest event; Infinity when there is none. */
  get nextTime(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#times[0]!;
  }

  push(time: number, kind: number, argument: number): void {
    if (this.#size === this.#times.length) this.#grow();
    const times = this.#times;
    const orders = this.#orders;
    const kinds = this.#kinds;
    const args = this.#arguments;
    let hole = this.#size++;
    // A new event has the highest order of all, so it rises only past strictly later times.
    while (hole > 0) {
      const parent = (hole - 1) >> 2;
      const parentTime = times[parent]!;
      if (parentTime <= time) break;
      times[hole] = parentTime;
      orders[hole] = orders[parent]!;
      kinds[hole] = kinds[parent]!;
      args[hole] = args[parent]!;
      hole = parent;
    }
    times[hole] = time;
    orders[hole] = this.#nextOrder++;
    kinds[hole] = kind;
    args[hole] = argument;
  }

  /** Removes the earliest event and stores it in {@link time}, {@link kind} and {@link argument}; false when there is none. */
  pop(): boolean {
    if (this.#size === 0) return false;
    const times = this.#times;
    const orders = this.#orders;
    const kinds = this.#kinds;
    const args = this.#arguments;
    this.time = times[0]!;
    this.kind = kinds[0]!;
    this.argument = args[0]!;
    const size = --this.#size;
    if (size === 0) return true;
    const time = times[size]!;
    const order = orders[size]!;
    let hole = 0;
    for (;;) {
      const first = hole * ARITY + 1;
      if (first >= size) break;
      const end = Math.min(first + ARITY, size);
      let least = first;
      let leastTime = times[first]!;
      for (let child = first + 1; child < end; child++) {
        const childTime = times[child]!;
        if (childTime < leastTime || (childTime === leastTime && orders[child]! < orders[least]!)) {
          least = child;
          leastTime = childTime;
        }
      }
      if (leastTime > time || (leastTime === time && orders[least]! > order)) break;
      times[hole] = leastTime;
      orders[hole] = orders[least]!;
      kinds[hole] = kinds[least]!;
      args[hole] = args[least]!;
      hole = least;
    }
    times[hole] = time;
    orders[hole] = order;
    kinds[hole] = kinds[size]!;
    args[hole] = args[size]!;
    return true;
  }

  #grow(): void {
    const capacity = this.#times.length * 2;
    const grown = <T extends Float64Array | Int32Array>(array: T, copy: T): T => {
      copy.set(array);
      return copy;
    };
    this.#times = grown(this.#times, new Float64Array(capacity));
    this.#orders = grown(this.#orders, new Float64Array(capacity));
    this.#kinds = grown(this.#kinds, new Int32Array(capacity));
    this.#arguments = grown(this.#arguments, new Int32Array(capacity));
  }
}
