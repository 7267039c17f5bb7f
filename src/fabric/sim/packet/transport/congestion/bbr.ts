/**
 * BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00): a model of the path, made of the largest delivery rate of the
 * last ten round trips and the smallest round trip of the last ten seconds, sets the pacing rate and the window. Section numbers
 * are those of the draft.
 *
 * Segments are paced one by one, without offload: send_quantum (section 4.2.2) is one segment.
 */
import type { Random } from "../../../../../base/index.js";
import type { AckSample, CongestionControl, CongestionControlOptions } from "./congestion-control.js";
import { RoundMaximum } from "./round-maximum.js";

const NS_PER_S = 1e9;
/** Section 4.2.1: 2 / ln 2, the smallest gain that doubles the rate each round. */
const HIGH_GAIN = 2 / Math.LN2;
/** Sections 4.1.1.3 and 4.1.2.3. */
const BANDWIDTH_ROUNDS = 10;
const RTT_WINDOW_NS = 10 * NS_PER_S;
/** Section 4.3.5. */
const PROBE_RTT_NS = 0.2 * NS_PER_S;
const MIN_WINDOW_SEGMENTS = 4;
/** Section 4.3.4.1: pacing gains of ProbeBW, one round trip each. */
const CYCLE = [5 / 4, 3 / 4, 1, 1, 1, 1, 1, 1] as const;
const PROBE_BANDWIDTH_WINDOW_GAIN = 2;
/** Section 4.2.3.2: segments beyond the gain's share of the BDP, so that delayed acknowledgements do not stall the sender. */
const QUANTA = 3;
/** Section 4.2.1: round trip to assume before the first sample. */
const NOMINAL_RTT_NS = 1e6;
/** Section 4.3.2.2: the pipe is full after three rounds in which the rate grew by less than a quarter. */
const FULL_GROWTH = 1.25;
const FULL_ROUNDS = 3;

type Phase = "startup" | "drain" | "probe_bandwidth" | "probe_rtt";

export class Bbr implements CongestionControl {
  readonly name = "bbr";
  readonly #mss: number;
  #initialWindow: number;
  readonly #minWindow: number;
  readonly #random: Random;
  #phase: Phase = "startup";
  #pacingGain = HIGH_GAIN;
  #windowGain = HIGH_GAIN;
  #pacingRate: number;
  #window: number;
  /** Bytes a second: the filter, and its value. */
  readonly #rates = new RoundMaximum(BANDWIDTH_ROUNDS);
  #bandwidth = 0;
  #round = 0;
  #minRtt = Number.POSITIVE_INFINITY;
  #minRttAt: number;
  #minRttExpired = false;
  #fullBandwidth = 0;
  #fullRounds = 0;
  #filledPipe = false;
  #cycle = 0;
  #cycleAt = 0;
  /** When probe_rtt may end; -1 while the flight is still too large. Its round ends at this count of delivered bytes. */
  #probeRttDone = -1;
  #probeRttRoundEnd = 0;
  /** Rate samples count as limited by the application up to this count of delivered bytes. */
  #limitedUntil = -1;
  #idleRestart = false;
  #priorWindow = 0;
  #recovering = false;
  #conserving = false;
  /** Conservation ends at this count of delivered bytes; -1: the next acknowledgement determines it. */
  #conservingUntil = -1;

  constructor({ mss, initialWindow, now, random }: CongestionControlOptions) {
    this.#mss = mss;
    this.#initialWindow = initialWindow;
    this.#minWindow = MIN_WINDOW_SEGMENTS * mss;
    this.#random = random;
    this.#window = initialWindow;
    this.#minRttAt = now();
    this.#pacingRate = (HIGH_GAIN * initialWindow * NS_PER_S) / NOMINAL_RTT_NS;
  }

  get window(): number {
    return this.#window;
  }

  get pacingRate(): number {
    return this.#pacingRate;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Estimated rate of the bottleneck, bytes a second; 0 before the first sample. */
  get bandwidth(): number {
    return this.#bandwidth;
  }

  /** Estimated round trip without queues, in nanoseconds; Infinity before the first sample. */
  get minRttNs(): number {
    return this.#minRtt;
  }

  onLostHandshake(): void {
    this.#initialWindow = this.#window = this.#mss;
    this.#pacingRate = (HIGH_GAIN * this.#mss * NS_PER_S) / NOMINAL_RTT_NS;
  }

  onAck(sample: AckSample): void {
    this.#updateBandwidth(sample);
    if (this.#phase === "probe_bandwidth" && this.#isNextCyclePhase(sample)) this.#advanceCycle(sample.nowNs);
    this.#checkFullPipe(sample);
    this.#checkDrain(sample);
    this.#updateMinRtt(sample);
    this.#checkProbeRtt(sample);
    this.#setPacingRate(this.#pacingGain);
    this.#setWindow(sample);
  }

  /** Section 4.1.1. */
  #updateBandwidth({ roundStart, deliveryRate, appLimited, totalDelivered }: AckSample): void {
    if (roundStart) this.#round++;
    if (deliveryRate <= 0) return;
    const limited = appLimited || totalDelivered <= this.#limitedUntil;
    if (limited && deliveryRate < this.#bandwidth) return;
    this.#rates.add(deliveryRate, this.#round);
    this.#bandwidth = this.#rates.value;
  }

  /** Section 4.3.4.3. */
  #isNextCyclePhase({ nowNs, lostBytes, priorInFlight }: AckSample): boolean {
    const isFullLength = nowNs - this.#cycleAt > this.#minRtt;
    if (this.#pacingGain === 1) return isFullLength;
    if (this.#pacingGain > 1)
      return isFullLength && (lostBytes > 0 || priorInFlight >= this.#inFlightAt(this.#pacingGain));
    return isFullLength || priorInFlight <= this.#inFlightAt(1);
  }

  #advanceCycle(nowNs: number): void {
    this.#cycleAt = nowNs;
    this.#cycle = (this.#cycle + 1) % CYCLE.length;
    this.#pacingGain = CYCLE[this.#cycle]!;
  }

  /** Section 4.3.2.2. */
  #checkFullPipe({ roundStart, appLimited }: AckSample): void {
    if (this.#filledPipe || !roundStart || appLimited) return;
    if (this.#bandwidth >= this.#fullBandwidth * FULL_GROWTH) {
      this.#fullBandwidth = this.#bandwidth;
      this.#fullRounds = 0;
      return;
    }
    if (++this.#fullRounds >= FULL_ROUNDS) this.#filledPipe = true;
  }

  /** Section 4.3.3. */
  #checkDrain({ nowNs, inFlight }: AckSample): void {
    if (this.#phase === "startup" && this.#filledPipe) {
      this.#phase = "drain";
      this.#pacingGain = 1 / HIGH_GAIN;
      this.#windowGain = HIGH_GAIN;
    }
    if (this.#phase === "drain" && inFlight <= this.#inFlightAt(1)) this.#enterProbeBandwidth(nowNs);
  }

  /** Section 4.3.4.2: the phase to start with is drawn, but never the one that drains. */
  #enterProbeBandwidth(nowNs: number): void {
    this.#phase = "probe_bandwidth";
    this.#windowGain = PROBE_BANDWIDTH_WINDOW_GAIN;
    this.#cycle = CYCLE.length - 1 - this.#random.int(CYCLE.length - 1);
    this.#advanceCycle(nowNs);
  }

  #enterStartup(): void {
    this.#phase = "startup";
    this.#pacingGain = HIGH_GAIN;
    this.#windowGain = HIGH_GAIN;
  }

  /** Section 4.1.2.3. */
  #updateMinRtt({ nowNs, rttNs }: AckSample): void {
    this.#minRttExpired = nowNs > this.#minRttAt + RTT_WINDOW_NS;
    if (rttNs < 0 || (rttNs > this.#minRtt && !this.#minRttExpired)) return;
    this.#minRtt = rttNs;
    this.#minRttAt = nowNs;
  }

  /** Section 4.3.5. */
  #checkProbeRtt(sample: AckSample): void {
    if (this.#phase !== "probe_rtt" && this.#minRttExpired && !this.#idleRestart) {
      this.#savePriorWindow();
      this.#phase = "probe_rtt";
      this.#pacingGain = 1;
      this.#windowGain = 1;
      this.#probeRttDone = -1;
    }
    if (this.#phase === "probe_rtt") this.#probeRtt(sample);
    this.#idleRestart = false;
  }

  #probeRtt({ nowNs, totalDelivered, inFlight }: AckSample): void {
    this.#limitedUntil = totalDelivered + inFlight;
    if (this.#probeRttDone < 0) {
      if (inFlight > this.#minWindow) return;
      this.#probeRttDone = nowNs + PROBE_RTT_NS;
      this.#probeRttRoundEnd = totalDelivered + inFlight;
      return;
    }
    if (totalDelivered <= this.#probeRttRoundEnd || nowNs <= this.#probeRttDone) return;
    this.#minRttAt = nowNs;
    this.#restorePriorWindow();
    if (this.#filledPipe) this.#enterProbeBandwidth(nowNs);
    else this.#enterStartup();
  }

  /** Section 4.2.1: before the pipe is full the rate never falls. */
  #setPacingRate(gain: number): void {
    const rate = gain * this.#bandwidth;
    if (rate > 0 && (this.#filledPipe || rate > this.#pacingRate)) this.#pacingRate = rate;
  }

  /** BBRInflight of section 4.2.3.2, in bytes. */
  #inFlightAt(gain: number): number {
    if (this.#minRtt === Number.POSITIVE_INFINITY || this.#bandwidth === 0) return this.#initialWindow;
    return (gain * this.#bandwidth * this.#minRtt) / NS_PER_S + QUANTA * this.#mss;
  }

  /** Sections 4.2.3.3 to 4.2.3.5. */
  #setWindow({ deliveredBytes, lostBytes, inFlight, totalDelivered }: AckSample): void {
    const target = this.#inFlightAt(this.#windowGain);
    if (lostBytes > 0 && this.#recovering) this.#window = Math.max(this.#window - lostBytes, this.#mss);
    if (this.#conserving) {
      if (this.#conservingUntil < 0) this.#conservingUntil = totalDelivered + inFlight;
      else if (totalDelivered > this.#conservingUntil) this.#conserving = false;
    }
    if (this.#conserving) this.#window = Math.max(this.#window, inFlight + deliveredBytes);
    else {
      if (this.#filledPipe) this.#window = Math.min(this.#window + deliveredBytes, target);
      else if (this.#window < target || totalDelivered < this.#initialWindow) this.#window += deliveredBytes;
      this.#window = Math.max(this.#window, this.#minWindow);
    }
    if (this.#phase === "probe_rtt") this.#window = Math.min(this.#window, this.#minWindow);
  }

  /** Section 4.2.3.4: one round in which a segment leaves for each that arrives. */
  onLoss(_nowNs: number, _flightSize: number, inFlight: number, _lostBytes: number): void {
    this.#savePriorWindow();
    this.#recovering = true;
    this.#conserving = true;
    this.#conservingUntil = -1;
    this.#window = inFlight + this.#mss;
  }

  onRecovered(_nowNs: number): void {
    if (!this.#recovering) return;
    this.#recovering = false;
    this.#conserving = false;
    this.#restorePriorWindow();
  }

  onTimeout(_nowNs: number, _flightSize: number, _first: boolean): void {
    this.#savePriorWindow();
    this.#recovering = true;
    this.#conserving = false;
    this.#window = this.#mss;
  }

  onUndo(nowNs: number): void {
    this.onRecovered(nowNs);
  }

  /** Section 4.3.4.4: the first segments after a pause leave at the estimated rate. */
  onIdle(_idleNs: number): void {
    this.#idleRestart = true;
    if (this.#phase === "probe_bandwidth") this.#setPacingRate(1);
  }

  /** BBRSaveCwnd: the window to go back to; a window that recovery or probe_rtt made does not count. */
  #savePriorWindow(): void {
    this.#priorWindow =
      this.#recovering || this.#phase === "probe_rtt"
        ? Math.max(this.#priorWindow, this.#window)
        : this.#window;
  }

  #restorePriorWindow(): void {
    this.#window = Math.max(this.#window, this.#priorWindow);
  }
}
