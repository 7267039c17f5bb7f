/**
 * DCTCP (RFC 8257): the window is reduced by the share of marked bytes, not by half. The receiver must report the
 * marks of each segment (section 3.2), as the hosts of p4loom do.
 */
import { AdditiveIncrease } from "./additive-increase.js";
import type { AckSample } from "./congestion-control.js";

/** RFC 8257, section 4.2: g, the weight of a new window in the estimate. */
const GAIN = 1 / 16;

export class Dctcp extends AdditiveIncrease {
  readonly name = "dctcp";
  /** DCTCP.Alpha: estimated share of marked bytes. Section 4.2: 1 at the start, so that the first mark halves the window. */
  #alpha = 1;
  /** DCTCP.BytesAcked and DCTCP.BytesMarked of this window. */
  #acked = 0;
  #marked = 0;
  /** Total of delivered bytes at which the window of the last reduction is over. */
  #reducedUntil = -1;

  /** Between 0 and 1. */
  get alpha(): number {
    return this.#alpha;
  }

  override onAck(sample: AckSample): void {
    const { marked, deliveredBytes, totalDelivered, roundStart, inFlight } = sample;
    // Section 3.3, steps 1 to 8.
    this.#acked += deliveredBytes;
    if (marked) this.#marked += deliveredBytes;
    if (roundStart && this.#acked > 0) {
      this.#alpha += GAIN * (this.#marked / this.#acked - this.#alpha);
      this.#acked = 0;
      this.#marked = 0;
    }
    if (!marked || this.recovering) {
      super.onAck(sample);
      return;
    }
    // RFC 3168, section 6.1.2: once a window of data, and an acknowledgement with ECE opens no window.
    if (totalDelivered <= this.#reducedUntil) return;
    this.#reducedUntil = totalDelivered + inFlight;
    // Section 3.3, step 9.
    this.threshold = Math.max(this.cwnd * (1 - this.#alpha / 2), 2 * this.mss);
    this.cwnd = this.threshold;
  }
}
