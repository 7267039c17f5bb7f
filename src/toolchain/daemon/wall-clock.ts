/** The clock of the switch in real time: microseconds since the start, and timers that never run early. */
import { defined } from "../../base/index.js";
import { FineTimer } from "../interfaces/index.js";
import type { SwitchClock } from "../switch/index.js";

/** Maximum delay of setTimeout in ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;

interface Timer {
  readonly time: number;
  readonly fn: () => void;
}

export class WallClock implements SwitchClock {
  readonly #start = performance.now();
  /** Sorted by time, then by the order in which they were set. There is at most one for each port, digest and table. */
  readonly #timers: Timer[] = [];
  #fine: FineTimer | undefined;
  #coarse: NodeJS.Timeout | undefined;

  /** @param onFault called with an error that the function of a timer throws */
  constructor(readonly onFault: (fault: unknown) => void) {}

  /** Uses timers that count microseconds from now on, where the system has them. */
  refine(): void {
    this.#fine ??= FineTimer.make(() => this.#tick());
    this.#schedule();
  }

  /** Time 0 in microseconds of the machine's monotonic clock (CLOCK_MONOTONIC), which all its processes share. */
  get startUs(): number {
    return Number(process.hrtime.bigint()) / 1000 - this.now();
  }

  now(): number {
    return 1000 * (performance.now() - this.#start);
  }

  at(time: number, fn: () => void): () => void {
    const timers = this.#timers;
    const timer = { time, fn };
    let at = timers.length;
    while (at > 0 && defined(timers[at - 1]).time > time) at--;
    timers.splice(at, 0, timer);
    if (at === 0) this.#schedule();
    return () => {
      const index = timers.indexOf(timer);
      if (index >= 0) timers.splice(index, 1);
    };
  }

  /** Drops all timers. */
  close(): void {
    this.#timers.length = 0;
    clearTimeout(this.#coarse);
    this.#fine?.close();
    this.#fine = undefined;
  }

  /** Sets the system timer for the first timer. It is not cancelled with a timer: then it expires without effect. */
  #schedule(): void {
    clearTimeout(this.#coarse);
    const [first] = this.#timers;
    if (first === undefined) return;
    const delay = Math.max(first.time - this.now(), 0);
    if (this.#fine !== undefined) this.#fine.set(delay);
    else this.#coarse = setTimeout(() => this.#tick(), Math.min(Math.ceil(delay / 1000), MAX_DELAY_MS));
  }

  #tick(): void {
    const now = this.now();
    for (let first = this.#timers[0]; first !== undefined && first.time <= now; first = this.#timers[0]) {
      this.#timers.shift();
      try {
        first.fn();
      } catch (fault) {
        this.onFault(fault);
      }
    }
    this.#schedule();
  }
}
