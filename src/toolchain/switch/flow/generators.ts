/** Packet generators: frames that the switch makes itself, which enter the program as if they came in by a port. */
import type { PacketGenerator } from "../../device/index.js";
import type { AlarmClock, Sleeper, SwitchClock } from "../options.js";
import { alarmsOf } from "./alarm.js";

/** One generator. Its n-th frame is due at a time that does not depend on how late the frames before it were. */
class Generator implements Sleeper {
  readonly #alarm: number;
  readonly #frame: Uint8Array;
  readonly #firstUs: number;
  /** Number of the next frame. */
  #next = 0;

  constructor(
    readonly plan: PacketGenerator,
    readonly clock: SwitchClock,
    readonly alarms: AlarmClock,
    readonly receive: (port: number, frame: Uint8Array) => void,
  ) {
    this.#firstUs = clock.now() + (plan.startNs ?? 0) / 1000;
    this.#frame = plan.frame.slice();
    this.#alarm = alarms.add(this);
    alarms.set(this.#alarm, this.#firstUs);
  }

  goOff(): void {
    // Set before the frame is processed: that may replace the generators.
    this.#setNext();
    this.receive(this.plan.port, this.#frame);
  }

  /** With a clock whose timers are late, periods that have passed are skipped: frames never come in a burst. */
  #setNext(): void {
    const periodUs = this.plan.periodNs / 1000;
    this.#next = Math.max(this.#next + 1, Math.floor((this.clock.now() - this.#firstUs) / periodUs) + 1);
    this.alarms.set(this.#alarm, this.#firstUs + this.#next * periodUs);
  }

  stop(): void {
    this.alarms.set(this.#alarm, Number.POSITIVE_INFINITY);
  }
}

export class Generators {
  readonly #alarms: AlarmClock;
  #running: Generator[] = [];

  constructor(
    readonly clock: SwitchClock,
    readonly receive: (port: number, frame: Uint8Array) => void,
  ) {
    this.#alarms = alarmsOf(clock);
  }

  /** Ends those that run; the new ones count their times from now. */
  set(plans: readonly PacketGenerator[]): void {
    for (const one of this.#running) one.stop();
    this.#running = plans.map((plan) => new Generator(plan, this.clock, this.#alarms, this.receive));
  }
}
