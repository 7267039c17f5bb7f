/**
 * One life of a controller, from a start to its end. Everything that reaches the controller goes through this class, so that
 * nothing does after the end: timers do not fire, promises do not settle, listeners are not called, and calls of
 * its code have no effect.
 */
import type { Clock } from "./time-source.js";

/**
 * How often a controller may be woken at one instant by its own requests of the same instant: virtual time cannot advance
 * while a controller does not wait for a later time.
 */
export const MAX_WAKES_AT_ONE_INSTANT = 100_000;

/** Why a controller is asked to end: the reason of its `stopped` signal. */
export class ControllerStopped extends Error {
  constructor(name: string) {
    super(`controller "${name}" is asked to end`);
    this.name = "ControllerStopped";
  }
}

/** Virtual time does not advance. */
export class TimeStandsStill extends Error {
  constructor(readonly atNs: number) {
    super(`woken ${MAX_WAKES_AT_ONE_INSTANT} times at one instant`);
  }
}

/** `prepare` takes too long. */
export class NeverReady extends Error {}

/** A promise of a call that has no answer any more. */
const NEVER: Promise<never> = new Promise(() => {});

export class Incarnation {
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #cancels = new Set<() => void>();
  /** Functions that reject the pending sleeps. */
  readonly #sleepers = new Set<() => void>();
  readonly #onError: (error: unknown, stack: string | undefined) => void;
  /** Stacks of the calls that were answered with these errors: the errors themselves were created elsewhere. */
  readonly #origins = new WeakMap<object, Error>();
  #over = false;
  #instant = Number.NaN;
  #wakes = 0;

  /** @param onError called at most once, with what the controller's code throws and the stack of its origin */
  constructor(
    readonly name: string,
    /** 1 for the first start. */
    readonly number: number,
    clock: Clock,
    onError: (error: unknown, stack: string | undefined) => void,
  ) {
    this.#clock = clock;
    this.#onError = onError;
  }

  get over(): boolean {
    return this.#over;
  }

  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Asks the controller to end. `wakes`: its pending sleeps reject, since its code awaits them. */
  askToStop(wakes: boolean): void {
    this.#stopping.abort(new ControllerStopped(this.name));
    if (wakes) for (const reject of this.#sleepers) reject();
    this.#sleepers.clear();
  }

  /** Calls `reject` when the controller is asked to end. Returns a function that cancels this. */
  sleeps(reject: () => void): () => void {
    if (!this.stopped.aborted) this.#sleepers.add(reject);
    return () => this.#sleepers.delete(reject);
  }

  /** Ends it at once. */
  end(): void {
    this.#over = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  /** Calls `cancel` at the end. Returns a function that cancels this. */
  keep(cancel: () => void): () => void {
    this.#cancels.add(cancel);
    return () => this.#cancels.delete(cancel);
  }

  /** Runs code of the controller. Returns a promise of its end, which never rejects; undefined if it ends at once. */
  call(code: () => void | Promise<void>): Promise<void> | undefined {
    if (this.#over) return undefined;
    try {
      const result: unknown = code();
      if (!isThenable(result)) return undefined;
      return Promise.resolve(result).then(
        () => {},
        (error: unknown) => this.fail(error),
      );
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  /** The controller's code has thrown `error`. A stopped controller may throw the reason of its signal. */
  fail(error: unknown): void {
    if (this.#over) return;
    if (this.stopped.aborted && error === this.stopped.reason) return;
    this.end();
    const origin = error instanceof Error ? (this.#origins.get(error) ?? error) : undefined;
    this.#onError(error, origin?.stack);
  }

  /** The same callback, without effect after the end. */
  listener<Event>(listener: (event: Event) => void | Promise<void>): (event: Event) => void {
    return (event) => void this.call(() => listener(event));
  }

  /** Makes a request and returns its answer while the controller lives; after the end it makes no request. */
  ask<T>(request: () => Promise<T>): Promise<T> {
    if (this.#over) return NEVER;
    const asked = this.#clock.now();
    const origin = new Error("asked here");
    return new Promise((resolve, reject) => {
      request().then(
        (value) => {
          if (!this.#over && this.passes(asked)) resolve(value);
        },
        (error: unknown) => {
          if (this.#over || !this.passes(asked)) return;
          if (error instanceof Error) this.#origins.set(error, origin);
          reject(error);
        },
      );
    });
  }

  /** Counts a wake-up whose request was made at `asked`; false: time cannot advance, and the controller has ended. */
  passes(asked: number): boolean {
    const now = this.#clock.now();
    if (asked < now) return true;
    if (now !== this.#instant) {
      this.#instant = now;
      this.#wakes = 0;
    }
    if (++this.#wakes <= MAX_WAKES_AT_ONE_INSTANT) return true;
    this.fail(new TimeStandsStill(now));
    return false;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined)?.then === "function";
}
