/**
 * Virtual time. Whole nanoseconds in a double (exact for 104 days); events run in time order and, at
 * one instant, in the order in which they were scheduled. The machine's clock is not read.
 *
 * Control planes are written with promises. Virtual time stands still while they run: an event that calls or answers a
 * control plane calls {@link Simulation.letPromisesRun}, and {@link Simulation.runAsync} runs all continuations before
 * the next event. A control plane that waits takes no processor time.
 */
import { EventQueue } from "./event-queue.js";

/** What an event does; `argument` is the number that was scheduled with it. */
export type Handler = (argument: number) => void;

export const NS_PER_US = 1_000;
export const NS_PER_MS = 1_000_000;
export const NS_PER_S = 1_000_000_000;

export interface SimulationOptions {
  /**
   * Resolves after every promise continuation that can run now has run: one turn of the event loop, as Node's
   * `setImmediate` gives it. Needed by {@link Simulation.runAsync} only.
   */
  turn?: () => Promise<void>;
}

export class Simulation {
  readonly #turn: (() => Promise<void>) | undefined;
  readonly #queue = new EventQueue();
  readonly #handlers: Handler[] = [];
  /** One-off calls of {@link at}: a slot is taken until its event has run, cancelled or not. */
  readonly #calls: ((() => void) | undefined)[] = [];
  readonly #freeCalls: number[] = [];
  readonly #callKind: number;
  readonly #alarms: MicrosecondAlarm[] = [];
  readonly #alarmKind: number;
  #stopped = false;
  #promisesWait = false;

  /** Virtual time in nanoseconds. */
  now = 0;
  /** Events run so far. */
  eventCount = 0;

  constructor(options: SimulationOptions = {}) {
    this.#turn = options.turn;
    this.#callKind = this.register((slot) => {
      const call = this.#calls[slot];
      this.#calls[slot] = undefined;
      this.#freeCalls.push(slot);
      call?.();
    });
    this.#alarmKind = this.register((index) => this.#alarms[index]!.goOff());
  }

  /** Names a kind of event; hot paths schedule by kind and number, so that an event costs no allocation. */
  register(handler: Handler): number {
    return this.#handlers.push(handler) - 1;
  }

  /** Schedules an event of a registered kind at an absolute time, which is not before now. */
  schedule(time: number, kind: number, argument: number): void {
    if (!(time >= this.now)) throw new RangeError(`event at ${time} ns is before ${this.now} ns`);
    this.#queue.push(time, kind, argument);
  }

  /** A timer in microseconds that is set again and again. */
  alarm(fn: () => void): MicrosecondAlarm {
    const alarm = new MicrosecondAlarm(this, this.#alarmKind, this.#alarms.length, fn);
    this.#alarms.push(alarm);
    return alarm;
  }

  /** Calls `fn` once at an absolute time in nanoseconds; returns how to cancel it. */
  at(time: number, fn: () => void): () => void {
    const slot = this.#freeCalls.pop() ?? this.#calls.length;
    this.#calls[slot] = fn;
    this.schedule(time, this.#callKind, slot);
    return () => {
      if (this.#calls[slot] === fn) this.#calls[slot] = undefined;
    };
  }

  /**
   * Runs all events up to and including time `until`, then sets the clock there unless it is infinite. An event may
   * end the run early by {@link stop}; the clock stays at that event then. Promises do not settle during the run: a
   * network with control planes is run by {@link runAsync}.
   */
  run(until: number = Number.POSITIVE_INFINITY): void {
    this.#stopped = false;
    if (this.#runEvents(until, false) && until !== Number.POSITIVE_INFINITY && until > this.now)
      this.now = until;
  }

  /**
   * As {@link run}, and between two events all promise continuations run that the first of them made possible. Whatever
   * a control plane does before it waits again happens at one instant of virtual time. A control plane that waits for
   * something outside of the simulation (a file, a real timer) is answered at an undefined virtual time.
   *
   * @param done asked after every round of continuations; true ends the run as {@link stop} does
   * @throws Error when the simulation was made without `turn`
   */
  async runAsync(until: number = Number.POSITIVE_INFINITY, done: () => boolean = () => false): Promise<void> {
    if (this.#turn === undefined) throw new Error("runAsync needs a Simulation that was made with `turn`");
    this.#stopped = false;
    do {
      this.#promisesWait = false;
      await this.#turn();
      if (this.#stopped || done()) return;
      this.#runEvents(until, true);
      if (this.#stopped) return;
    } while (this.#promisesWait);
    if (until !== Number.POSITIVE_INFINITY && until > this.now) this.now = until;
  }

  /** For code that calls or answers a control plane: its continuations run before the next event. */
  letPromisesRun(): void {
    this.#promisesWait = true;
  }

  /** True when no event up to `until` is left; false when the run was stopped, or promises wait. */
  #runEvents(until: number, pauses: boolean): boolean {
    const queue = this.#queue;
    const handlers = this.#handlers;
    while (queue.pop(until)) {
      this.now = queue.time;
      this.eventCount++;
      handlers[queue.kind]!(queue.argument);
      if (this.#stopped || (pauses && this.#promisesWait)) return false;
    }
    return true;
  }

  /** Makes {@link run} and {@link runAsync} return after the event that is being handled. */
  stop(): void {
    this.#stopped = true;
  }

  /** Events still to come, cancelled calls included. */
  get pending(): number {
    return this.#queue.size;
  }
}

/**
 * The clock that control planes ask for (nanoseconds): after each call of a timer promises run before the next event.
 * `zero` is the virtual time that it calls 0.
 */
export function controlClock(
  simulation: Simulation,
  zero = 0,
): { now(): number; at(time: number, fn: () => void): () => void } {
  return {
    now: () => simulation.now - zero,
    at: (time, fn) =>
      simulation.at(Math.max(simulation.now, Math.round(time) + zero), () => {
        simulation.letPromisesRun();
        fn();
      }),
  };
}

/** The clock that a switch asks for (microseconds), on virtual time. */
export function microsecondClock(simulation: Simulation): {
  now(): number;
  at(time: number, fn: () => void): () => void;
  alarm(fn: () => void): MicrosecondAlarm;
} {
  return {
    now: () => simulation.now / NS_PER_US,
    at: (time, fn) => simulation.at(Math.max(simulation.now, Math.round(time * NS_PER_US)), fn),
    alarm: (fn) => simulation.alarm(fn),
  };
}

/** A timer that is set again and again, in microseconds; it costs no allocation. */
class MicrosecondAlarm {
  time = Number.POSITIVE_INFINITY;
  /** Time of its event in nanoseconds; events of other times are of earlier settings. */
  #due = Number.POSITIVE_INFINITY;

  constructor(
    readonly simulation: Simulation,
    readonly kind: number,
    readonly index: number,
    readonly run: () => void,
  ) {}

  set(time: number): void {
    if (time === this.time) return;
    this.time = time;
    if (time === Number.POSITIVE_INFINITY) {
      this.#due = time;
      return;
    }
    this.#due = Math.max(this.simulation.now, Math.round(time * NS_PER_US));
    this.simulation.schedule(this.#due, this.kind, this.index);
  }

  goOff(): void {
    if (this.#due !== this.simulation.now) return;
    this.#due = Number.POSITIVE_INFINITY;
    this.time = Number.POSITIVE_INFINITY;
    this.run();
  }
}
