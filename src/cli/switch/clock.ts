/** The wall clock as the switch wants it: microseconds since the start, and timers that are never early. */
import type { SwitchClock } from "../../switch/index.js";

/** Longest delay that setTimeout takes, in ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export class WallClock implements SwitchClock {
  readonly #start = performance.now();
  readonly #timers = new Set<{ handle: NodeJS.Timeout }>();

  /** @param onFault told what a timer's work throws */
  constructor(readonly onFault: (fault: unknown) => void) {}

  now(): number {
    return 1000 * (performance.now() - this.#start);
  }

  at(time: number, fn: () => void): () => void {
    const timer = { handle: setTimeout(() => tick(), this.#delay(time)) };
    const tick = (): void => {
      if (this.now() < time) {
        timer.handle = setTimeout(tick, this.#delay(time));
        return;
      }
      this.#timers.delete(timer);
      try {
        fn();
      } catch (fault) {
        this.onFault(fault);
      }
    };
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer.handle);
      this.#timers.delete(timer);
    };
  }

  /** Drops all timers. */
  close(): void {
    for (const { handle } of this.#timers) clearTimeout(handle);
    this.#timers.clear();
  }

  #delay(time: number): number {
    return Math.min(Math.max(Math.ceil((time - this.now()) / 1000), 0), MAX_DELAY_MS);
  }
}
