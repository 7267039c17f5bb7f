/** The time of a packet test: it stands still unless the test moves it. In microseconds. */
import type { SwitchClock } from "../switch/index.js";

export class ManualClock implements SwitchClock {
  #now = 0;
  /** Ascending by time; what was asked for first comes first. */
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

  /** Lets time pass, and everything happen that is due by then, in order. */
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
