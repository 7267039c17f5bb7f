/** Handles of BMv2: the lowest free number. What was given back waits in a binary heap. */
export class Handles {
  readonly #free: number[] = [];
  #used = 0;

  take(): number {
    const heap = this.#free;
    if (heap.length === 0) return this.#used++;
    const least = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) this.#sink(last);
    return least;
  }

  /** Takes a certain handle that is free: undoes its release. */
  claim(handle: number): void {
    const at = this.#free.indexOf(handle);
    if (at < 0) {
      // Beyond those in use: what lies between is free.
      while (this.#used < handle) this.#put(this.#used++);
      this.#used = handle + 1;
      return;
    }
    const others = this.#free.filter((free) => free !== handle).sort((a, b) => a - b);
    this.#free.splice(0, this.#free.length, ...others);
  }

  release(handle: number): void {
    if (handle === this.#used - 1) {
      this.#used--;
      return;
    }
    this.#put(handle);
  }

  #put(handle: number): void {
    const heap = this.#free;
    let at = heap.length;
    heap.push(handle);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]! <= handle) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = handle;
  }

  /** Puts a number in the root's place and moves it down to where it belongs. */
  #sink(value: number): void {
    const heap = this.#free;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= value) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = value;
  }
}
