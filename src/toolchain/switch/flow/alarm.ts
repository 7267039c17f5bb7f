/** Timers that are set repeatedly, on top of the one-time timers of a clock without such timers. */
import type { AlarmClock, Sleeper, SwitchClock } from "../options.js";

interface ClockAlarm {
  readonly sleeper: Sleeper;
  /** Infinity while it is not set. */
  time: number;
  cancel: (() => void) | undefined;
}

class ClockAlarms implements AlarmClock {
  readonly #alarms: ClockAlarm[] = [];

  constructor(readonly clock: SwitchClock) {}

  add(sleeper: Sleeper): number {
    return this.#alarms.push({ sleeper, time: Number.POSITIVE_INFINITY, cancel: undefined }) - 1;
  }

  set(number: number, time: number): void {
    const alarm = this.#alarms[number]!;
    if (time === alarm.time) return;
    alarm.cancel?.();
    alarm.time = time;
    alarm.cancel = time < Number.POSITIVE_INFINITY ? this.clock.at(time, () => goOff(alarm)) : undefined;
  }
}

function goOff(alarm: ClockAlarm): void {
  alarm.cancel = undefined;
  alarm.time = Number.POSITIVE_INFINITY;
  alarm.sleeper.goOff();
}

export function alarmsOf(clock: SwitchClock): AlarmClock {
  return clock.alarms ?? new ClockAlarms(clock);
}
