/** Waits for events of one flow of an agent, with deadlines on the clock of the events' times. */
import { defined, fail } from "../../../base/index.js";
import { type AgentFlow, type FlowEvent, monotonicNs } from "../../testbed/index.js";
import { CODES } from "../codes.js";

/** Times in nanoseconds. */
export interface Clock {
  now(): number;
  /** Calls `wake` once, at `time` or later; the returned function cancels the call. */
  at(time: number, wake: () => void): () => void;
}

/** The clock of the agents' events. */
export const MONOTONIC_CLOCK: Clock = {
  now: monotonicNs,
  at(time, wake) {
    const timer = setTimeout(wake, Math.max(0, Math.ceil((time - monotonicNs()) / 1e6)));
    return () => clearTimeout(timer);
  },
};

/** Waits until a time of the clock. Rejects with the reason of `stop`. */
export async function sleepUntil(
  time: number,
  stop: AbortSignal,
  clock: Clock = MONOTONIC_CLOCK,
): Promise<void> {
  for (;;) {
    stop.throwIfAborted();
    if (clock.now() >= time) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        cancel();
        stop.removeEventListener("abort", done);
        resolve();
      };
      const cancel = clock.at(time, done);
      stop.addEventListener("abort", done);
    });
  }
}

export class FlowWatch {
  /** All events so far. */
  readonly events: FlowEvent[] = [];
  readonly #stopWatching: () => void;
  readonly #stop: AbortSignal;
  #wake = () => {};

  constructor(
    flow: AgentFlow,
    stop: AbortSignal,
    readonly clock: Clock = MONOTONIC_CLOCK,
  ) {
    this.#stop = stop;
    stop.addEventListener("abort", this.#aborted);
    this.#stopWatching = flow.onEvent((event) => {
      this.events.push(event);
      this.#wake();
    });
  }

  readonly #aborted = () => this.#wake();

  /**
   * The first past or future event for which `pick` returns a value; undefined if none arrives by `deadline`. An
   * event that arrives late with an earlier time still counts. Fails with P43172 when the flow fails first.
   */
  async until<T>(
    pick: (event: FlowEvent) => T | undefined,
    deadline = Number.POSITIVE_INFINITY,
  ): Promise<T | undefined> {
    for (let next = 0; ; ) {
      this.#stop.throwIfAborted();
      for (; next < this.events.length; next++) {
        const event = defined(this.events[next]);
        const picked = pick(event);
        if (picked !== undefined) return picked;
        if (event.kind === "failed") fail(CODES.flowFailed, undefined, `a flow failed: ${event.text}`);
      }
      if (this.clock.now() >= deadline) return undefined;
      await this.#wait(deadline);
    }
  }

  /** As {@link until}, for an event that always comes. */
  async need<T>(pick: (event: FlowEvent) => T | undefined): Promise<T> {
    return (await this.until(pick))!;
  }

  close(): void {
    this.#stopWatching();
    this.#stop.removeEventListener("abort", this.#aborted);
  }

  /** Waits for the next event, or the deadline. */
  #wait(deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = Number.isFinite(deadline) ? this.clock.at(deadline, resolve) : () => {};
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
