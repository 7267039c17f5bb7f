/** A timer that is set again and again, made of the one-off timers of a clock that has no alarms of its own. */
import type { Alarm, SwitchClock } from "../options.js";

class ClockAlarm implements Alarm {
  #time = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(
    readonly clock: SwitchClock,
    readonly run: () => void,
  ) {}

  get time(): number {
    return this.#time;
  }

  set(time: number): void {
    if (time === this.#time) return;
    this.#cancel?.();
    this.#time = time;
    this.#cancel = time < Number.POSITIVE_INFINITY ? this.clock.at(time, () => this.#goOff()) : undefined;
  }

  #goOff(): void {
    this.#cancel = undefined;
    this.#time = Number.POSITIVE_INFINITY;
    this.run();
  }
}

export function makeAlarm(clock: SwitchClock, run: () => void): Alarm {
  return clock.alarm?.(run) ?? new ClockAlarm(clock, run);
}
