/**
 * The common part of the window-based controls: slow start with appropriate byte counting, the recovery's window, the
 * retransmission timeout, undoing and the restart after a pause. A control adds the growth of its window in congestion avoidance and
 * its reduction.
 */
import type { AckSample, CongestionControl, CongestionControlOptions } from "./congestion-control.js";
import { RateReduction } from "./rate-reduction.js";

/** RFC 3465, sections 2.2 and 2.3: full segments by which one acknowledgement may open the window in slow start. */
const SLOW_START_LIMIT = 2;
const SLOW_START_LIMIT_AFTER_TIMEOUT = 1;

export abstract class WindowControl implements CongestionControl {
  abstract readonly name: string;
  readonly pacingRate = Number.POSITIVE_INFINITY;
  protected readonly mss: number;
  /** cwnd and ssthresh of RFC 5681, in bytes. */
  protected cwnd: number;
  protected threshold = Number.POSITIVE_INFINITY;
  /** Bytes by which one acknowledgement may open the window in slow start. */
  protected slowStartLimit: number;
  readonly #initialWindow: number;
  readonly #reduction: RateReduction;
  #recovering = false;
  /** Before the last reduction, for {@link onUndo}. */
  #cwndBefore = 0;
  #thresholdBefore = Number.POSITIVE_INFINITY;

  constructor({ mss, initialWindow }: CongestionControlOptions) {
    this.mss = mss;
    this.cwnd = initialWindow;
    this.slowStartLimit = SLOW_START_LIMIT * mss;
    this.#initialWindow = initialWindow;
    this.#reduction = new RateReduction(mss);
  }

  get window(): number {
    return this.#recovering ? this.#reduction.window : this.cwnd;
  }

  /** In bytes; Infinity until the first congestion. */
  get slowStartThreshold(): number {
    return this.threshold;
  }

  /** RFC 6356, section 3 counts subflows in recovery so. */
  get steadyWindow(): number {
    return this.cwnd;
  }

  protected get recovering(): boolean {
    return this.#recovering;
  }

  /** Congestion avoidance: `bytes` of the sample count, less than all where the sample also ended slow start. */
  protected abstract avoidCongestion(sample: AckSample, bytes: number): void;
  /** The new ssthresh in bytes; called before `cwnd` and `threshold` change. */
  protected abstract reducedThreshold(flightSize: number): number;

  onLostHandshake(): void {
    this.cwnd = this.mss;
  }

  onAck(sample: AckSample): void {
    if (this.#recovering) {
      this.#reduction.onAck(sample);
      return;
    }
    if (!sample.windowLimited || !sample.mayGrow) return;
    let bytes = sample.deliveredBytes;
    if (this.cwnd < this.threshold) {
      bytes = this.slowStart(sample);
      if (bytes <= 0) return;
    }
    this.avoidCongestion(sample, bytes);
  }

  /** RFC 5681, equation 2, with RFC 3465, section 2.2. Returns the bytes that are left for congestion avoidance. */
  protected slowStart({ deliveredBytes }: AckSample): number {
    const room = this.threshold - this.cwnd;
    const growth = Math.min(deliveredBytes, this.slowStartLimit);
    this.cwnd += Math.min(growth, room);
    return growth > room ? growth - room : 0;
  }

  onLoss(nowNs: number, flightSize: number, inFlight: number, lostBytes: number): void {
    this.#reduce(flightSize);
    this.cwnd = this.threshold;
    this.#recovering = true;
    this.#reduction.begin(nowNs, this.threshold, inFlight, lostBytes);
  }

  onRecovered(_nowNs: number): void {
    this.#recovering = false;
  }

  onTimeout(_nowNs: number, flightSize: number, first: boolean): void {
    this.#recovering = false;
    // RFC 5681, section 3.1: the threshold stays when the same segment times out again.
    if (first) this.#reduce(flightSize);
    this.cwnd = this.mss;
    this.slowStartLimit = SLOW_START_LIMIT_AFTER_TIMEOUT * this.mss;
  }

  /** Reverts the reduction: RFC 4015, section 3.4, but with the earlier window instead of a slow start to it. */
  onUndo(_nowNs: number): void {
    this.#recovering = false;
    this.cwnd = Math.max(this.cwnd, this.#cwndBefore);
    this.threshold = this.#thresholdBefore;
  }

  /** RFC 5681, section 4.1: the restart window. */
  onIdle(_idleNs: number): void {
    this.cwnd = Math.min(this.cwnd, this.#initialWindow);
  }

  /** RFC 3168, section 6.1.2: ECE reduces the window as a lost packet does, but nothing has to be sent again. */
  protected reduceForMark(flightSize: number): void {
    if (this.#recovering) return;
    this.#reduce(flightSize);
    this.cwnd = this.threshold;
  }

  #reduce(flightSize: number): void {
    this.#cwndBefore = this.cwnd;
    this.#thresholdBefore = this.threshold;
    this.threshold = this.reducedThreshold(flightSize);
  }
}
