/**
 * Virtual time. Whole nanoseconds in a double (exact for 104 days); events run in time order and, at
 * one instant, in the order in which they were scheduled. The machine's clock is not read.
 *
 * Control planes are written with promises. Virtual time does not advance while they run: an event that calls or answers a
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

  /** Calls `fn` once at an absolute time in nanoseconds; returns a function that cancels the call. */
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
    if (
      this.#runEvents(until, false, Number.POSITIVE_INFINITY) &&
      until !== Number.POSITIVE_INFINITY &&
      until > this.now
    )
      this.now = until;
  }

  /**
   * As {@link run}, but between two events all promise continuations run that the first of them made possible. All that
   * a control plane does before it waits again happens at one instant of virtual time. A control plane that waits for
   * an event outside of the simulation (a file, a real timer) is answered at an undefined virtual time.
   *
   * @param done asked after every round of continuations; true ends the run as {@link stop} does
   * @throws Error when the simulation was made without `turn`
   */
  async runAsync(until: number = Number.POSITIVE_INFINITY, done: () => boolean = () => false): Promise<void> {
    await this.#runTurns(until, done, Number.POSITIVE_INFINITY);
  }

  /**
   * As {@link runAsync} up to `until`, but at most `most` events; the clock stays at the last of them.
   *
   * @returns whether all events up to `until` have run
   */
  async runSome(until: number, most: number): Promise<boolean> {
    return this.#runTurns(until, () => false, this.eventCount + most);
  }

  async #runTurns(until: number, done: () => boolean, end: number): Promise<boolean> {
    if (this.#turn === undefined) throw new Error("runAsync needs a Simulation that was made with `turn`");
    this.#stopped = false;
    do {
      this.#promisesWait = false;
      await this.#turn();
      if (this.#stopped || done()) return false;
      const ran = this.#runEvents(until, true, end);
      if (this.#stopped || (!ran && !this.#promisesWait)) return false;
    } while (this.#promisesWait);
    if (until !== Number.POSITIVE_INFINITY && until > this.now) this.now = until;
    return true;
  }

  /** For code that calls or answers a control plane: its continuations run before the next event. */
  letPromisesRun(): void {
    this.#promisesWait = true;
  }

  /** True when no event up to `until` is left; false when the run was stopped, promises must run, or `end` events have run. */
  #runEvents(until: number, pauses: boolean, end: number): boolean {
    const queue = this.#queue;
    const handlers = this.#handlers;
    while (this.eventCount < end) {
      if (!queue.pop(until)) return true;
      this.now = queue.time;
      this.eventCount++;
      handlers[queue.kind]!(queue.argument);
      if (this.#stopped || (pauses && this.#promisesWait)) return false;
    }
    return false;
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
 * The clock of control planes (nanoseconds): after each call of a timer promises run before the next event.
 * `zero` is the virtual time of its time 0.
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

/** The clock of switches (microseconds) in virtual time: one for all switches of a simulation. */
export class MicrosecondClock {
  readonly #simulation: Simulation;
  readonly alarms: MicrosecondAlarms;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.alarms = new MicrosecondAlarms(simulation);
  }

  now(): number {
    return this.#simulation.now / NS_PER_US;
  }

  at(time: number, fn: () => void): () => void {
    return this.#simulation.at(Math.max(this.#simulation.now, Math.round(time * NS_PER_US)), fn);
  }
}

/** Fields of an alarm: the set time in microseconds, and the time of its event in nanoseconds. Infinity while it is not set. */
const TIME = 0;
const DUE = 1;

/** Timers that are set again and again, in microseconds; setting one costs no allocation. */
class MicrosecondAlarms {
  readonly #simulation: Simulation;
  readonly #kind: number;
  readonly #sleepers: { goOff(): void }[] = [];
  /** {@link TIME} and {@link DUE} of each. Events at other times than this are of earlier settings. */
  #times = new Float64Array(64);

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#kind = simulation.register((alarm) => this.#goOff(alarm));
  }

  add(sleeper: { goOff(): void }): number {
    const alarm = this.#sleepers.push(sleeper) - 1;
    if (2 * alarm === this.#times.length) {
      const times = new Float64Array(4 * alarm);
      times.set(this.#times);
      this.#times = times;
    }
    this.#times.fill(Number.POSITIVE_INFINITY, 2 * alarm, 2 * alarm + 2);
    return alarm;
  }

  set(alarm: number, time: number): void {
    const times = this.#times;
    if (time === times[2 * alarm + TIME]) return;
    times[2 * alarm + TIME] = time;
    if (time === Number.POSITIVE_INFINITY) {
      times[2 * alarm + DUE] = time;
      return;
    }
    const due = Math.max(this.#simulation.now, Math.round(time * NS_PER_US));
    times[2 * alarm + DUE] = due;
    this.#simulation.schedule(due, this.#kind, alarm);
  }

  #goOff(alarm: number): void {
    if (this.#times[2 * alarm + DUE] !== this.#simulation.now) return;
    this.#times.fill(Number.POSITIVE_INFINITY, 2 * alarm, 2 * alarm + 2);
    this.#sleepers[alarm]!.goOff();
  }
}
