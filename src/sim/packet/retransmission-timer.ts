/**
 * Round-trip estimate and retransmission timeout (RFC 6298), with the bounds that PRR's authors use inside a
 * data center (P-ECMP, section 5.2): RTO = smoothed RTT + a margin of about 5 ms, doubled at each
 * timeout, at most 1 s.
 */

export interface RetransmissionOptions {
  /** Nanoseconds added to the smoothed RTT, unless four times its deviation is more. */
  margin: number;
  /** Nanoseconds; no timeout is longer. */
  cap: number;
  /** Nanoseconds; the timeout before the first RTT sample. */
  initial: number;
}

export class RetransmissionTimeout {
  readonly #options: RetransmissionOptions;
  /** Nanoseconds; negative before the first sample. */
  #smoothed = -1;
  #deviation = 0;
  /** Timeouts since the last progress. */
  attempts = 0;

  constructor(options: RetransmissionOptions) {
    this.#options = options;
  }

  /** Smoothed round-trip time in nanoseconds; undefined before the first sample. */
  get smoothedRtt(): number | undefined {
    return this.#smoothed < 0 ? undefined : this.#smoothed;
  }

  /** A round trip of a segment that was sent once (Karn's rule). */
  sample(rtt: number): void {
    if (this.#smoothed < 0) {
      this.#smoothed = rtt;
      this.#deviation = rtt / 2;
      return;
    }
    this.#deviation += (Math.abs(this.#smoothed - rtt) - this.#deviation) / 4;
    this.#smoothed += (rtt - this.#smoothed) / 8;
  }

  /** Nanoseconds until a segment that is sent now counts as lost. */
  get current(): number {
    const { margin, cap, initial } = this.#options;
    const base =
      this.#smoothed < 0 ? initial : Math.round(this.#smoothed + Math.max(margin, 4 * this.#deviation));
    return Math.min(base * 2 ** Math.min(this.attempts, 30), cap);
  }
}
