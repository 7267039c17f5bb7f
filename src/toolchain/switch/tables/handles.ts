/**
 * Handles of BMv2: the lowest free number. Free numbers wait in a binary heap. A number that was claimed out of turn
 * stays in the heap, and is passed over when it comes up.
 */
import { grown } from "./shape.js";

export class Handles {
  readonly #heap: number[] = [];
  /** Of numbers below `#used`: 1 while the number is free. */
  #free = new Uint8Array(0);
  /** 1 while the number is in the heap. */
  #queued = new Uint8Array(0);
  #used = 0;

  take(): number {
    for (let least = this.#pop(); least >= 0; least = this.#pop()) {
      if (this.#free[least] === 0) continue;
      this.#free[least] = 0;
      return least;
    }
    return this.#used++;
  }

  /** Takes a certain handle that is free: undoes its release. */
  claim(handle: number): void {
    while (this.#used <= handle) this.#put(this.#used++);
    this.#free[handle] = 0;
  }

  release(handle: number): void {
    if (handle === this.#used - 1) this.#used--;
    else this.#put(handle);
  }

  /** The least number of the heap; -1 when it is empty. */
  #pop(): number {
    const heap = this.#heap;
    const least = heap[0];
    if (least === undefined) return -1;
    const last = heap.pop()!;
    if (heap.length > 0) this.#sink(last);
    this.#queued[least] = 0;
    return least;
  }

  #put(handle: number): void {
    this.#free = grown(this.#free, handle + 1);
    this.#queued = grown(this.#queued, handle + 1);
    this.#free[handle] = 1;
    if (this.#queued[handle] === 1) return;
    this.#queued[handle] = 1;
    const heap = this.#heap;
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
    const heap = this.#heap;
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
