/**
 * Notices a test that waits for what does not come. It looks every 50 ms: an event loop that did nothing since the last look, and serves
 * no child process, has an idle look. Looks are counted, not time: on a busy machine they come later, after the work that they look for.
 */
import { performance } from "node:perf_hooks";

const LOOKS_EVERY_MS = 50;
/** A look itself takes less, and what a test does takes more. */
const IDLE_BELOW_MS = 1;

export class IdleWatch {
  /** Called once when a try has had as many idle looks in succession as it may. */
  onIdle: () => void = () => {};
  #limit = Number.POSITIVE_INFINITY;
  #looks = 0;
  #longest = 0;
  #last = performance.eventLoopUtilization();

  constructor() {
    // At once, before a test replaces the timers.
    setInterval(() => this.#look(), LOOKS_EVERY_MS).unref();
  }

  /** @param limit idle looks in succession that the try may have */
  start(limit: number, onIdle: () => void): void {
    this.onIdle = onIdle;
    this.#limit = limit;
    this.#looks = 0;
    this.#longest = 0;
  }

  /** Returns the most idle looks in succession since the start. */
  stop(): number {
    this.#limit = Number.POSITIVE_INFINITY;
    return this.#longest;
  }

  #look(): void {
    const now = performance.eventLoopUtilization();
    const { active } = performance.eventLoopUtilization(now, this.#last);
    this.#last = now;
    const isIdle = active < IDLE_BELOW_MS && !process.getActiveResourcesInfo().includes("ProcessWrap");
    this.#looks = isIdle ? this.#looks + 1 : 0;
    this.#longest = Math.max(this.#longest, this.#looks);
    if (this.#looks <= this.#limit) return;
    this.#limit = Number.POSITIVE_INFINITY;
    this.onIdle();
  }
}
