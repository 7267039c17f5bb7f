/** Slow start, congestion avoidance and the reductions of RFC 5681, with appropriate byte counting (RFC 3465). */
import type { AckSample, CongestionControl, CongestionControlOptions } from "./congestion-control.js";

/** RFC 3465, section 2.2: full segments by which one acknowledgement may open the window in slow start. */
const SLOW_START_LIMIT = 2;

export class Reno implements CongestionControl {
  readonly name = "reno";
  readonly pacingRate = Number.POSITIVE_INFINITY;
  readonly #mss: number;
  readonly #initialWindow: number;
  #window: number;
  #threshold = Number.POSITIVE_INFINITY;
  /** Bytes acknowledged since the window grew last by a segment in congestion avoidance. */
  #acked = 0;
  /** Before the last reduction, for {@link onUndo}. */
  #before = { window: 0, threshold: 0 };

  constructor({ mss, initialWindow }: CongestionControlOptions) {
    this.#mss = mss;
    this.#initialWindow = initialWindow;
    this.#window = initialWindow;
  }

  get window(): number {
    return this.#window;
  }

  onAck({ deliveredBytes, inRecovery, windowLimited }: AckSample): void {
    // After a timeout the window is below the threshold, and slow start goes on while lost data are sent again.
    if (!windowLimited || (inRecovery && this.#window >= this.#threshold)) return;
    if (this.#window < this.#threshold) {
      this.#window += Math.min(deliveredBytes, SLOW_START_LIMIT * this.#mss);
      return;
    }
    this.#acked += deliveredBytes;
    if (this.#acked < this.#window) return;
    this.#acked -= this.#window;
    this.#window += this.#mss;
  }

  onLoss(_nowNs: number, inFlight: number): void {
    this.#reduce(inFlight);
    this.#window = this.#threshold;
  }

  onCongestion(nowNs: number, inFlight: number): void {
    this.onLoss(nowNs, inFlight);
  }

  onRecovered(): void {}

  onTimeout(_nowNs: number, inFlight: number, first: boolean): void {
    // RFC 5681, section 3.1: the threshold stays when the same segment times out again.
    if (first) this.#reduce(inFlight);
    this.#window = this.#mss;
  }

  onUndo(): void {
    this.#window = Math.max(this.#window, this.#before.window);
    this.#threshold = this.#before.threshold;
  }

  /** RFC 5681, section 4.1. */
  onIdle(): void {
    this.#window = Math.min(this.#window, this.#initialWindow);
  }

  /** RFC 5681, equation 4. */
  #reduce(inFlight: number): void {
    this.#before = { window: this.#window, threshold: this.#threshold };
    this.#threshold = Math.max(Math.floor(inFlight / 2), 2 * this.#mss);
    this.#acked = 0;
  }
}
