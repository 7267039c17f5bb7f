/**
 * Round-trip estimate and retransmission timeout (RFC 6298), with the bounds that PRR's authors use inside a
 * data center (P-ECMP, section 5.2): RTO = smoothed RTT + a margin of about 5 ms, doubled at each
 * timeout, at most 1 s.
 */

export interface RetransmissionOptions {
  /** Nanoseconds added to the smoothed RTT, unless four times its deviation is more. */
  margin: number;
  /** Nanoseconds; no timeout is shorter. 0 unless given. */
  floor?: number;
  /** Nanoseconds; no timeout is longer. */
  cap: number;
  /** Nanoseconds; the timeout before the first RTT sample. */
  initial: number;
}

export class RetransmissionTimeout {
  readonly #options: RetransmissionOptions;
  #initial: number;
  /** Nanoseconds; negative before the first sample. */
  #smoothed = -1;
  #deviation = 0;
  /** Number of timeouts since the last progress, for TCP since the last sample: each doubles the timeout. */
  attempts = 0;

  constructor(options: RetransmissionOptions) {
    this.#options = options;
    this.#initial = options.initial;
  }

  /** Smoothed round-trip time in nanoseconds; undefined before the first sample. */
  get smoothedRtt(): number | undefined {
    return this.#smoothed < 0 ? undefined : this.#smoothed;
  }

  /**
   * A SYN was lost and there is no sample: data begin with three times the initial timeout, as RFC 6298, section 5.7 says of
   * one second.
   */
  afterLostHandshake(): void {
    if (this.#smoothed < 0) this.#initial *= 3;
  }

  /**
   * Adds a round trip of a segment that was sent once (Karn's rule). `samples`: number of samples in a round trip; together
   * they have the weight of one (RFC 7323, appendix G).
   */
  sample(rtt: number, samples = 1): void {
    if (this.#smoothed < 0) {
      this.#smoothed = rtt;
      this.#deviation = rtt / 2;
      return;
    }
    this.#deviation += (Math.abs(this.#smoothed - rtt) - this.#deviation) / (4 * samples);
    this.#smoothed += (rtt - this.#smoothed) / (8 * samples);
  }

  /** Nanoseconds until a segment that is sent now counts as lost. */
  get current(): number {
    const { margin, floor = 0, cap } = this.#options;
    const base =
      this.#smoothed < 0 ? this.#initial : Math.round(this.#smoothed + Math.max(margin, 4 * this.#deviation));
    return Math.min(Math.max(base, floor) * 2 ** Math.min(this.attempts, 30), cap);
  }
}
