/** Waits for events of one flow of an agent, with deadlines on the clock that the events' times are of. */
import { fail } from "../../base/index.js";
import { type AgentFlow, type FlowEvent, monotonicNs } from "../../testbed/index.js";

/** Waits for a time of {@link monotonicNs}. Rejects with the reason of `stop`. */
export async function sleepUntil(timeNs: number, stop: AbortSignal): Promise<void> {
  for (;;) {
    stop.throwIfAborted();
    const left = timeNs - monotonicNs();
    if (left <= 0) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stop.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.ceil(left / 1e6));
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

  constructor(flow: AgentFlow, stop: AbortSignal) {
    this.#stop = stop;
    stop.addEventListener("abort", this.#aborted);
    this.#stopWatching = flow.onEvent((event) => {
      this.events.push(event);
      this.#wake();
    });
  }

  readonly #aborted = () => this.#wake();

  /**
   * The first event, past or to come, that `pick` takes; undefined when it has not come by `deadlineNs`. An event
   * that comes late but tells of an earlier time still counts. Fails with P43172 when the flow does first.
   */
  async until<T>(
    pick: (event: FlowEvent) => T | undefined,
    deadlineNs = Number.POSITIVE_INFINITY,
  ): Promise<T | undefined> {
    for (let next = 0; ; ) {
      this.#stop.throwIfAborted();
      for (; next < this.events.length; next++) {
        const event = this.events[next]!;
        const picked = pick(event);
        if (picked !== undefined) return picked;
        if (event.kind === "failed") fail("P43172", undefined, `a flow broke: ${event.text}`);
      }
      const left = deadlineNs - monotonicNs();
      if (left <= 0) return undefined;
      await this.#wait(left / 1e6);
    }
  }

  /** As {@link until}, for what comes in any case. */
  async need<T>(pick: (event: FlowEvent) => T | undefined): Promise<T> {
    return (await this.until(pick))!;
  }

  close(): void {
    this.#stopWatching();
    this.#stop.removeEventListener("abort", this.#aborted);
  }

  /** Until something happens, or so long. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(resolve, Math.ceil(ms)) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
