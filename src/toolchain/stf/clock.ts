/** The clock of a packet test, in microseconds. It advances only when the test says so. */
import type { SwitchClock } from "../switch/index.js";

export class ManualClock implements SwitchClock {
  #now = 0;
  /** Ascending by time; timers of one time in the order in which they were set. */
  readonly #due: { time: number; fn: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  at(time: number, fn: () => void): () => void {
    const event = { time: Math.max(time, this.#now), fn };
    let place = this.#due.length;
    while (place > 0 && this.#due[place - 1]!.time > event.time) place--;
    this.#due.splice(place, 0, event);
    return () => {
      const index = this.#due.indexOf(event);
      if (index >= 0) this.#due.splice(index, 1);
    };
  }

  /** Advances the clock and runs the timers that are due by then, in order. */
  advance(microseconds: number): void {
    const end = this.#now + microseconds;
    while (this.#due.length > 0 && this.#due[0]!.time <= end) {
      const { time, fn } = this.#due.shift()!;
      this.#now = time;
      fn();
    }
    this.#now = end;
  }
}
