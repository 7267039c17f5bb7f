/**
 * Entries by the time at which they are due: a binary heap with the position of each entry, so that the time of an entry
 * can change and an entry can be removed. Each operation costs O(log n).
 */
import { grown } from "./shape.js";

export class DueEntries {
  /** Entries; none is due before its parent. */
  #heap = new Int32Array(0);
  #size = 0;
  /** By entry: its time, and its place in the heap plus 1 (0: it is not there). */
  #times = new Float64Array(0);
  #places = new Int32Array(0);

  get size(): number {
    return this.#size;
  }

  /** The entry that is due first, or -1. */
  get first(): number {
    return this.#size === 0 ? -1 : this.#heap[0]!;
  }

  /** When the first entry is due; Infinity without an entry. */
  get firstTime(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#times[this.#heap[0]!]!;
  }

  /** Adds an entry, or gives it another time. */
  set(entry: number, time: number): void {
    this.#times = grown(this.#times, entry + 1);
    this.#places = grown(this.#places, entry + 1);
    this.#times[entry] = time;
    let at = this.#places[entry]! - 1;
    if (at < 0) {
      at = this.#size++;
      this.#heap = grown(this.#heap, this.#size);
      this.#put(at, entry);
    }
    this.#settle(at);
  }

  /** Removes an entry, if it is there. */
  delete(entry: number): void {
    const at = (this.#places[entry] ?? 0) - 1;
    if (at < 0) return;
    this.#places[entry] = 0;
    const last = this.#heap[--this.#size]!;
    if (last === entry) return;
    this.#put(at, last);
    this.#settle(at);
  }

  #put(at: number, entry: number): void {
    this.#heap[at] = entry;
    this.#places[entry] = at + 1;
  }

  /** Moves the entry at a place up or down to where it belongs. */
  #settle(from: number): void {
    const heap = this.#heap;
    const times = this.#times;
    const entry = heap[from]!;
    const time = times[entry]!;
    let at = from;
    for (let parent = (at - 1) >> 1; at > 0 && times[heap[parent]!]! > time; parent = (at - 1) >> 1) {
      this.#put(at, heap[parent]!);
      at = parent;
    }
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && times[heap[child + 1]!]! < times[heap[child]!]!) child++;
      if (times[heap[child]!]! >= time) break;
      this.#put(at, heap[child]!);
      at = child;
    }
    this.#put(at, entry);
  }
}
