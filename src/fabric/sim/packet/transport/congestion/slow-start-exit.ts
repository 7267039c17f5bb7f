/**
 * HyStart++ (RFC 9406): ends the first slow start before it fills the queue. A round trip that takes longer than the one before
 * makes the window grow four times as slowly for some rounds ("conservative slow start"); if round trips stay long, slow start ends.
 */
import type { AckSample } from "./congestion-control.js";

const MS = 1_000_000;
/** RFC 9406, section 4.3. */
const MIN_RTT_THRESHOLD = 4 * MS;
const MAX_RTT_THRESHOLD = 16 * MS;
const MIN_RTT_DIVISOR = 8;
const RTT_SAMPLES = 8;
const CONSERVATIVE_GROWTH_DIVISOR = 4;
const CONSERVATIVE_ROUNDS = 5;

export class SlowStartExit {
  #lastRoundMinRtt = Number.POSITIVE_INFINITY;
  #roundMinRtt = Number.POSITIVE_INFINITY;
  #samples = 0;
  /** Smallest round trip when conservative slow start began; Infinity outside of it. */
  #baseline = Number.POSITIVE_INFINITY;
  #conservativeRounds = 0;
  /** By how much less the window grows now. */
  growthDivisor = 1;
  /** Slow start is over: the window becomes the threshold. */
  finished = false;

  /** RFC 9406, section 4.2, for each acknowledgement in the first slow start. */
  onAck({ rttNs, roundStart }: AckSample): void {
    if (roundStart) {
      // The partial round in which conservative slow start began counts.
      if (this.growthDivisor > 1 && ++this.#conservativeRounds >= CONSERVATIVE_ROUNDS) this.finished = true;
      this.#lastRoundMinRtt = this.#roundMinRtt;
      this.#roundMinRtt = Number.POSITIVE_INFINITY;
      this.#samples = 0;
    }
    if (rttNs < 0) return;
    this.#roundMinRtt = Math.min(this.#roundMinRtt, rttNs);
    if (++this.#samples < RTT_SAMPLES) return;
    if (this.growthDivisor > 1) {
      if (this.#roundMinRtt >= this.#baseline) return;
      this.#baseline = Number.POSITIVE_INFINITY;
      this.growthDivisor = 1;
      return;
    }
    if (this.#lastRoundMinRtt === Number.POSITIVE_INFINITY) return;
    const threshold = Math.max(
      MIN_RTT_THRESHOLD,
      Math.min(this.#lastRoundMinRtt / MIN_RTT_DIVISOR, MAX_RTT_THRESHOLD),
    );
    if (this.#roundMinRtt < this.#lastRoundMinRtt + threshold) return;
    this.#baseline = this.#roundMinRtt;
    this.#conservativeRounds = 0;
    this.growthDivisor = CONSERVATIVE_GROWTH_DIVISOR;
  }
}
