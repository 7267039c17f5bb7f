/** Packet generators: frames that the switch makes itself, which enter the program as if they came in by a port. */
import type { PacketGenerator } from "../../device/index.js";
import type { Alarm, SwitchClock } from "../options.js";
import { makeAlarm } from "./alarm.js";

/** One generator. Its n-th frame is due at a time that does not depend on how late the frames before it were. */
class Generator {
  readonly #alarm: Alarm;
  readonly #firstUs: number;
  /** Number of the next frame. */
  #next = 0;

  constructor(
    readonly plan: PacketGenerator,
    readonly clock: SwitchClock,
    receive: (port: number, frame: Uint8Array) => void,
  ) {
    this.#firstUs = clock.now() + (plan.startNs ?? 0) / 1000;
    const frame = plan.frame.slice();
    this.#alarm = makeAlarm(clock, () => {
      // Set before the frame is processed: that may replace the generators.
      this.#setNext();
      receive(plan.port, frame);
    });
    this.#alarm.set(this.#firstUs);
  }

  /** A clock whose timers are late loses the periods that are over: frames never come in a burst. */
  #setNext(): void {
    const periodUs = this.plan.periodNs / 1000;
    this.#next = Math.max(this.#next + 1, Math.floor((this.clock.now() - this.#firstUs) / periodUs) + 1);
    this.#alarm.set(this.#firstUs + this.#next * periodUs);
  }

  stop(): void {
    this.#alarm.set(Number.POSITIVE_INFINITY);
  }
}

export class Generators {
  #running: Generator[] = [];

  constructor(
    readonly clock: SwitchClock,
    readonly receive: (port: number, frame: Uint8Array) => void,
  ) {}

  /** Ends those that run; the new ones count their times from now. */
  set(plans: readonly PacketGenerator[]): void {
    for (const one of this.#running) one.stop();
    this.#running = plans.map((plan) => new Generator(plan, this.clock, this.receive));
  }
}
