/**
 * The halves of the window on a lab. Flows are requested before they start, and receivers tell of their payload only when they are asked: flows
 * wait here for their starts, and the payload is as of the last question.
 */
import type { MeteredFlow } from "../meters/flow-meter.js";
import { type Halves, HalvesMeter } from "../meters/halves-meter.js";

/** Nanoseconds between two questions for the payload that has arrived. */
const ASK_NS = 250e6;

export class LabHalves {
  readonly #meter: HalvesMeter;
  readonly #ask: () => Promise<void>;
  /** Requested flows that have not started yet. */
  #waiting: MeteredFlow[] = [];
  #askedAt = 0;
  #isOpen = false;

  /**
   * @param delivered payload of all flows that receivers have in order, as of the last question
   * @param ask asks the receivers
   */
  constructor(delivered: () => number, ask: () => Promise<void>) {
    // Utilisation is that of the whole window: the counters of all interfaces are read at its ends only.
    this.#meter = new HalvesMeter(() => ({ delivered: delivered(), busyNs: undefined }));
    this.#ask = ask;
  }

  /** The window begins `now` nanoseconds after the start of the traffic, just after the receivers were asked. */
  begin(now: number): void {
    this.#meter.begin(now);
    this.#askedAt = now;
    this.#isOpen = true;
  }

  /** A flow was requested, which starts at its time. */
  requested(flow: MeteredFlow): void {
    this.#waiting.push(flow);
  }

  completed(flow: MeteredFlow, now: number): void {
    this.#start(now);
    this.#meter.completed(flow, now);
  }

  /** Time has passed. */
  async look(now: number): Promise<void> {
    if (this.#isOpen && now - this.#askedAt >= ASK_NS) {
      this.#askedAt = now;
      await this.#ask();
    }
    this.#start(now);
  }

  /** The window ends, just after the receivers were asked. */
  end(now: number): void {
    this.#start(now);
    this.#meter.end(now);
    this.#isOpen = false;
  }

  figures(): Halves | undefined {
    return this.#meter.figures();
  }

  #start(now: number): void {
    const due = this.#waiting.filter(({ arrival }) => arrival.startNs <= now);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ arrival }) => arrival.startNs > now);
    for (const flow of due.sort((a, b) => a.arrival.startNs - b.arrival.startNs)) this.#meter.started(flow);
  }
}
