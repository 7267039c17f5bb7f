/**
 * One life of a controller, from a start to its end. Everything that reaches the controller goes through here, so that
 * nothing does after the end: no timer fires, no promise settles, no listener hears anything, and nothing that its code
 * still does has an effect.
 */
import type { Clock } from "./clock.js";

/**
 * How often a controller may be woken at one instant by what it asked for at that same instant: virtual time stands still
 * while a controller waits for nothing, and would never go on.
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
  /** Reject the sleeps that are under way. */
  readonly #sleepers = new Set<() => void>();
  readonly #onError: (error: unknown, stack: string | undefined) => void;
  /** Stacks of the calls whose answers were these errors: the errors themselves come from elsewhere. */
  readonly #origins = new WeakMap<object, Error>();
  #over = false;
  #instant = Number.NaN;
  #wakes = 0;

  /** @param onError told what the controller's code throws, once at most, and the stack where that came from */
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

  /** Asks the controller to end. `wakes`: its sleeps reject, since somebody waits for them. */
  askToStop(wakes: boolean): void {
    this.#stopping.abort(new ControllerStopped(this.name));
    if (wakes) for (const reject of this.#sleepers) reject();
    this.#sleepers.clear();
  }

  /** Calls `reject` when the controller is asked to end. Returns how to forget it. */
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

  /** Calls `cancel` at the end. Returns how to forget it. */
  keep(cancel: () => void): () => void {
    this.#cancels.add(cancel);
    return () => this.#cancels.delete(cancel);
  }

  /** Runs code of the controller. Answers a promise of its end, which never rejects, if it does not end at once. */
  run(code: () => void | Promise<void>): Promise<void> | undefined {
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

  /** The controller's code has thrown this. A stopped controller may throw the reason of its signal. */
  fail(error: unknown): void {
    if (this.#over) return;
    if (this.stopped.aborted && error === this.stopped.reason) return;
    this.end();
    const origin = error instanceof Error ? (this.#origins.get(error) ?? error) : undefined;
    this.#onError(error, origin?.stack);
  }

  /** The same callback, silent after the end. */
  listener<Event>(listener: (event: Event) => void | Promise<void>): (event: Event) => void {
    return (event) => void this.run(() => listener(event));
  }

  /** Makes a request and gives its answer, as long as the controller lives; no request is made after the end. */
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

  /** Counts a wake-up by what was asked for at `asked`; false: time stands still, and the controller is over. */
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
