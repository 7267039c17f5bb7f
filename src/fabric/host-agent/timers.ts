/** Calls back at given times of CLOCK_MONOTONIC, with an error of some microseconds where the system allows it. */
import { FineTimer } from "../../toolchain/interfaces/index.js";

/** Longest delay of setTimeout in ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;

interface Due {
  readonly at: number;
  /** Calls for the same time run in the order of these numbers. */
  readonly order: number;
  readonly call: () => void;
}

export class Timers {
  /** A binary heap: each entry is before its two children. */
  readonly #heap: Due[] = [];
  #orders = 0;
  readonly #fine: FineTimer | undefined;
  #coarse: NodeJS.Timeout | undefined;

  /** @param now the clock, in nanoseconds */
  constructor(readonly now: () => number) {
    this.#fine = FineTimer.make(() => this.#tick());
  }

  /** Calls back once at `at` nanoseconds, never earlier; if that time has passed, in a later turn of the event loop. */
  at(at: number, call: () => void): void {
    const due = { at, order: this.#orders++, call };
    const heap = this.#heap;
    let hole = heap.length;
    heap.push(due);
    for (let parent = (hole - 1) >> 1; hole > 0 && isBefore(due, heap[parent]!); parent = (hole - 1) >> 1) {
      heap[hole] = heap[parent]!;
      hole = parent;
    }
    heap[hole] = due;
    if (hole === 0) this.#schedule();
  }

  /** Cancels all calls. */
  close(): void {
    this.#heap.length = 0;
    clearTimeout(this.#coarse);
    this.#fine?.close();
  }

  #schedule(): void {
    const first = this.#heap[0];
    if (first === undefined) return;
    const delayNs = Math.max(first.at - this.now(), 0);
    if (this.#fine !== undefined) {
      this.#fine.set(delayNs / 1000);
      return;
    }
    clearTimeout(this.#coarse);
    this.#coarse = setTimeout(() => this.#tick(), Math.min(Math.ceil(delayNs / 1e6), MAX_DELAY_MS));
  }

  #tick(): void {
    const now = this.now();
    while (this.#heap.length > 0 && this.#heap[0]!.at <= now) this.#takeFirst().call();
    this.#schedule();
  }

  #takeFirst(): Due {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (child >= heap.length || isBefore(last, heap[child]!)) break;
      heap[hole] = heap[child]!;
      hole = child;
    }
    heap[hole] = last;
    return first;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
