/**
 * Virtual time. Whole nanoseconds in a double (exact for 104 days); events run in time order and, at
 * one instant, in the order in which they were scheduled. Nothing here looks at the machine's clock.
 */
import { EventQueue } from "./event-queue.js";

/** What an event does; `argument` is whatever number was scheduled with it. */
export type Handler = (argument: number) => void;

export const NS_PER_US = 1_000;
export const NS_PER_MS = 1_000_000;
export const NS_PER_S = 1_000_000_000;

export class Simulation {
  readonly #queue = new EventQueue();
  readonly #handlers: Handler[] = [];
  /** One-off calls of {@link at}: a slot is taken until its event has run, cancelled or not. */
  readonly #calls: ((() => void) | undefined)[] = [];
  readonly #freeCalls: number[] = [];
  readonly #callKind: number;
  #stopped = false;

  /** Virtual time in nanoseconds. */
  now = 0;
  /** Events run so far. */
  eventCount = 0;

  constructor() {
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
   * end the run early by {@link stop}; the clock stays at that event then.
   */
  run(until: number = Number.POSITIVE_INFINITY): void {
    const queue = this.#queue;
    const handlers = this.#handlers;
    this.#stopped = false;
    while (queue.nextTime <= until && queue.pop()) {
      this.now = queue.time;
      this.eventCount++;
      handlers[queue.kind]!(queue.argument);
      if (this.#stopped) return;
    }
    if (until !== Number.POSITIVE_INFINITY && until > this.now) this.now = until;
  }

  /** Runs the next event; false when there is none. */
  step(): boolean {
    const queue = this.#queue;
    if (!queue.pop()) return false;
    this.now = queue.time;
    this.eventCount++;
    this.#handlers[queue.kind]!(queue.argument);
    return true;
  }

  /** Makes {@link run} return after the event that is being handled. */
  stop(): void {
    this.#stopped = true;
  }

  /** Events still to come, cancelled calls included. */
  get pending(): number {
    return this.#queue.size;
  }
}

/** The clock that a switch asks for (microseconds), on virtual time. */
export function microsecondClock(simulation: Simulation): {
  now(): number;
  at(time: number, fn: () => void): () => void;
} {
  return {
    now: () => simulation.now / NS_PER_US,
    at: (time, fn) => simulation.at(Math.max(simulation.now, Math.round(time * NS_PER_US)), fn),
  };
}
