/**
 * CUBIC (RFC 9438): after a reduction the window follows a cubic function of time, flat around the window at which the last
 * congestion was met; where Reno would be faster, it grows like Reno. Slow start ends by HyStart++ (section 4.10).
 */
import type { AckSample, CongestionControlOptions } from "./congestion-control.js";
import { SlowStartExit } from "./slow-start-exit.js";
import { WindowControl } from "./window-control.js";

/** RFC 9438, sections 4.6 and 5.1: segments a cubed second, and the share of the window that a reduction leaves. */
const C = 0.4;
const BETA = 0.7;
/** Section 4.3: segments a round trip by which Reno with {@link BETA} would grow to the same average. */
const RENO_FRIENDLY = (3 * (1 - BETA)) / (1 + BETA);
const NS_PER_S = 1e9;
/** RFC 9406, section 4.3: L for a sender that does not pace. */
const HYSTART_LIMIT = 8;

export class Cubic extends WindowControl {
  readonly name = "cubic";
  readonly #slowStartExit = new SlowStartExit();
  /** All windows here are in segments. W_max and cwnd_prior; 0 where there was no reduction yet, or a timeout. */
  #maximum = 0;
  #prior = 0;
  /** When congestion avoidance began, pauses taken out; -1 outside of it. */
  #epochNs = -1;
  /** K in seconds, W_est. */
  #k = 0;
  #origin = 0;
  #estimate = 0;
  #lastAckNs = 0;
  #maximumBefore = 0;
  #priorBefore = 0;

  constructor(options: CongestionControlOptions) {
    super(options);
    this.slowStartLimit = HYSTART_LIMIT * this.mss;
  }

  override onAck(sample: AckSample): void {
    // Section 4.2: time during which the application did not use the window does not count.
    if (this.#epochNs >= 0 && !sample.windowLimited) this.#epochNs += sample.nowNs - this.#lastAckNs;
    this.#lastAckNs = sample.nowNs;
    super.onAck(sample);
  }

  protected override slowStart(sample: AckSample): number {
    if (this.threshold !== Number.POSITIVE_INFINITY) return super.slowStart(sample);
    const exit = this.#slowStartExit;
    exit.onAck(sample);
    if (exit.finished) {
      this.threshold = this.cwnd;
      this.#prior = this.cwnd / this.mss;
      return sample.deliveredBytes;
    }
    this.cwnd += Math.min(sample.deliveredBytes, this.slowStartLimit) / exit.growthDivisor;
    return 0;
  }

  protected avoidCongestion({ nowNs, smoothedRttNs }: AckSample, bytes: number): void {
    const window = this.cwnd / this.mss;
    const acked = bytes / this.mss;
    if (this.#epochNs < 0) this.#beginEpoch(nowNs, window);
    const seconds = (nowNs - this.#epochNs) / NS_PER_S;
    // Section 4.3.
    this.#estimate += ((this.#estimate < this.#prior ? RENO_FRIENDLY : 1) * acked) / window;
    if (this.#cubic(seconds) < this.#estimate) {
      this.cwnd = Math.max(window, this.#estimate) * this.mss;
      return;
    }
    // Sections 4.4 and 4.5.
    const ahead = this.#cubic(seconds + Math.max(smoothedRttNs, 0) / NS_PER_S);
    const target = Math.min(Math.max(ahead, window), 1.5 * window);
    this.cwnd += ((target - window) / window) * bytes;
  }

  /** Section 4.2. */
  #beginEpoch(nowNs: number, window: number): void {
    this.#epochNs = nowNs;
    this.#estimate = window;
    // Sections 4.8 and 4.10: without a reduction to start from, the function starts at its flat part.
    this.#origin = Math.max(this.#maximum, window);
    this.#k = Math.cbrt((this.#origin - window) / C);
  }

  /** W_cubic of section 4.2, in segments. */
  #cubic(seconds: number): number {
    const t = seconds - this.#k;
    return C * t * t * t + this.#origin;
  }

  /** Sections 4.6 and 4.7. */
  protected reducedThreshold(flightSize: number): number {
    this.#maximumBefore = this.#maximum;
    this.#priorBefore = this.#prior;
    const window = this.cwnd / this.mss;
    // Fast convergence: a flow that met congestion earlier than last time makes room for new ones.
    this.#maximum = window < this.#maximum ? (window * (1 + BETA)) / 2 : window;
    this.#prior = window;
    this.#epochNs = -1;
    return Math.max(flightSize * BETA, 2 * this.mss);
  }

  /** Section 4.6: marks may take the window down to one segment, which starts slow start again. */
  onCongestion(_nowNs: number, flightSize: number): void {
    if (this.recovering) return;
    this.reduceForMark(flightSize);
    this.cwnd = Math.min(this.cwnd, Math.max(flightSize * BETA, this.mss));
  }

  /** Section 4.8. */
  override onTimeout(nowNs: number, flightSize: number, first: boolean): void {
    super.onTimeout(nowNs, flightSize, first);
    this.#maximum = 0;
    this.#epochNs = -1;
  }

  /** Section 4.9. */
  override onUndo(nowNs: number): void {
    super.onUndo(nowNs);
    this.#maximum = this.#maximumBefore;
    this.#prior = this.#priorBefore;
    this.#epochNs = -1;
  }
}
