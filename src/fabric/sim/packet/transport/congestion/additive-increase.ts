/** Congestion avoidance of RFC 5681: a segment more a round trip, half the flight after a loss. Reno; DCTCP between its marks. */
import type { AckSample } from "./congestion-control.js";
import { WindowControl } from "./window-control.js";

export abstract class AdditiveIncrease extends WindowControl {
  /** RFC 3465's bytes_acked: acknowledged since the window grew last in congestion avoidance. */
  #acked = 0;

  /** One segment for each window of data: RFC 5681, section 3.1, and RFC 3465, section 2.1. */
  protected avoidCongestion(_sample: AckSample, bytes: number): void {
    this.#acked += bytes;
    if (this.#acked < this.cwnd) return;
    this.#acked -= this.cwnd;
    this.cwnd += this.mss;
  }

  /** RFC 5681, equation 4. */
  protected reducedThreshold(flightSize: number): number {
    this.#acked = 0;
    return Math.max(flightSize / 2, 2 * this.mss);
  }
}
