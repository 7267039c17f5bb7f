/**
 * Swift (Kumar et al., SIGCOMM 2020): a window that follows a target of the delay in the fabric. Hosts of the simulator take no time, so
 * the window of the end point (section 3.2) has nothing to control and is left out. Algorithm 1 and section 3.5 are the paper's.
 */
import type { MessageAck, MessageControl, MessageControlContext } from "./message-control.js";

/** Times in nanoseconds. */
export interface SwiftOptions {
  /** Target without hops and without a share for many flows. */
  readonly target: number;
  /** Added to the target for each switch on the path. */
  readonly hop: number;
  /** The most that is added to the target for small windows; and the windows between which this share falls to nothing. */
  readonly flowRange: number;
  readonly flowSmallest: number;
  readonly flowLargest: number;
  /** Packets that a round trip adds. */
  readonly additive: number;
  /** Share of the excess by which the window falls (beta), and the largest such fall. */
  readonly decrease: number;
  readonly largestDecrease: number;
  readonly leastWindow: number;
  /** Timeouts in a row after which the window is the least one. */
  readonly resetAfter: number;
}

export class Swift implements MessageControl {
  readonly #options: SwiftOptions;
  readonly #most: number;
  #window: number;
  #decreasedAt = Number.NEGATIVE_INFINITY;
  #rtt = 0;

  constructor({ window }: MessageControlContext, options: SwiftOptions) {
    this.#options = options;
    this.#most = window;
    this.#window = window;
  }

  get window(): number {
    return this.#window;
  }

  rateAt(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** Section 3.5: more for longer paths, and for small windows, whose flows are many. */
  targetFor(hops: number): number {
    const { target, hop, flowRange, flowSmallest, flowLargest } = this.#options;
    const [inner, outer] = [1 / Math.sqrt(flowSmallest), 1 / Math.sqrt(flowLargest)];
    const slope = flowRange / (inner - outer);
    const share = slope * (1 / Math.sqrt(this.#window) - outer);
    return target + hops * hop + Math.max(0, Math.min(share, flowRange));
  }

  onAck({ now, packets, rttNs, hops }: MessageAck): void {
    if (rttNs === undefined) return;
    this.#rtt = rttNs;
    const { additive, decrease, largestDecrease } = this.#options;
    const target = this.targetFor(hops);
    if (rttNs < target) {
      this.#set(
        this.#window + (this.#window >= 1 ? (additive * packets) / this.#window : additive * packets),
      );
    } else if (this.#mayDecrease(now)) {
      const share = Math.max(1 - (decrease * (rttNs - target)) / rttNs, 1 - largestDecrease);
      this.#fall(share, now);
    }
  }

  /** Where the whole first window is cut, the round trips of NACKs are the only ones that are known. */
  onLoss(now: number, rttNs?: number): void {
    if (this.#rtt === 0 && rttNs !== undefined) this.#rtt = rttNs;
    if (this.#mayDecrease(now)) this.#fall(1 - this.#options.largestDecrease, now);
  }

  onTimeout(attempt: number, now: number): void {
    if (attempt >= this.#options.resetAfter) this.#fall(0, now);
    else if (this.#mayDecrease(now)) this.#fall(1 - this.#options.largestDecrease, now);
  }

  onSent(): void {}
  onNotification(): void {}

  /** Once in a round trip. */
  #mayDecrease(now: number): boolean {
    return now - this.#decreasedAt >= this.#rtt;
  }

  #fall(share: number, now: number): void {
    this.#decreasedAt = now;
    this.#set(this.#window * share);
  }

  #set(window: number): void {
    this.#window = Math.min(Math.max(window, this.#options.leastWindow), this.#most);
  }
}
