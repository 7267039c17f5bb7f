/** The clocks of controllers: simulation time, or time of the machine. All times are whole nanoseconds. */

import type { Incarnation } from "./incarnation.js";
import type { Clock } from "./time-source.js";

/** The clock of one controller. Its timers end with the controller. */
export interface ControllerClock {
  /** Nanoseconds since the control plane began. */
  now(): number;
  /**
   * Resolves after `ns`. Rejects with the reason of `stopped` when the controller is asked to end meanwhile, unless its
   * `start` has returned: then it ends at once.
   * @throws RangeError when `ns` is negative or no finite number
   */
  sleep(ns: number): Promise<void>;
  /**
   * Calls `fn` once at a time of this clock, at once if that is past. Returns a function that cancels the call.
   * @throws RangeError when `time` is no finite number
   */
  at(time: number, fn: () => void | Promise<void>): () => void;
  /**
   * Calls `fn` every `ns`, for the first time after `ns`, until it is cancelled or the controller is asked to end. A
   * call is skipped when the promise of the previous call is not settled at its time, or when its time is already past;
   * `missed` is the number of calls that were skipped since the last one.
   * @throws RangeError when `ns` is not positive or no finite number
   */
  every(ns: number, fn: (missed: number) => void | Promise<void>): () => void;
}

export class IncarnationClock implements ControllerClock {
  readonly #clock: Clock;
  readonly #life: Incarnation;

  constructor(clock: Clock, life: Incarnation) {
    this.#clock = clock;
    this.#life = life;
  }

  now(): number {
    return this.#clock.now();
  }

  sleep(ns: number): Promise<void> {
    if (!(ns >= 0 && Number.isFinite(ns))) throw new RangeError(`sleep of ${ns} ns: expected 0 or more`);
    return new Promise((resolve, reject) => {
      const cancel = this.#wake(this.#clock.now() + ns, () => {
        awake();
        resolve();
      });
      const awake = this.#life.sleeps(() => {
        cancel();
        reject(this.#life.stopped.reason);
      });
    });
  }

  at(time: number, fn: () => void | Promise<void>): () => void {
    if (!Number.isFinite(time))
      throw new RangeError(`the time of a timer is ${time} ns: expected a finite number`);
    return this.#wake(time, () => this.#life.call(fn));
  }

  every(ns: number, fn: (missed: number) => void | Promise<void>): () => void {
    if (!(ns > 0 && Number.isFinite(ns)))
      throw new RangeError(`the period of a timer is ${ns} ns: expected a positive number`);
    let next = this.#clock.now() + ns;
    let busy = false;
    let missed = 0;
    let cancel = () => {};
    const { stopped } = this.#life;
    const end = () => {
      cancel();
      stopped.removeEventListener("abort", end);
    };
    const tick = () => {
      const late = Math.floor((this.#clock.now() - next) / ns);
      next += (late + 1) * ns;
      missed += late;
      cancel = this.#wake(next, tick);
      if (busy) {
        missed++;
        return;
      }
      const result = this.#life.call(() => fn(missed));
      missed = 0;
      if (result === undefined) return;
      busy = true;
      void result.then(() => {
        busy = false;
      });
    };
    if (stopped.aborted) return end;
    stopped.addEventListener("abort", end, { once: true });
    cancel = this.#wake(next, tick);
    return end;
  }

  #wake(time: number, wake: () => void): () => void {
    const asked = this.#clock.now();
    const forget = this.#life.keep(() => cancel());
    const cancel = this.#clock.at(time, () => {
      forget();
      if (this.#life.over || !this.#life.passes(asked)) return;
      wake();
    });
    return () => {
      forget();
      cancel();
    };
  }
}
