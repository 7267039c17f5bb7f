/**
 * Measures round-trip times of one sender, one segment at a time (RFC 6298, section 3): a segment that may have been sent more than once
 * is not measured. Positions are those of the stream, times are nanoseconds.
 */
export class RoundTrips {
  /** End of the segment that is timed, and the time of its departure; undefined when none is. */
  #timedEnd: number | undefined;
  #timedAt = 0;
  #smoothed: number | undefined;
  #variation = 0;

  /** @param leastNs the minimum by which a retransmission timeout exceeds a round trip */
  constructor(readonly leastNs: number) {}

  /** New data up to a position leave. */
  sent(end: number, now: number): void {
    if (this.#timedEnd !== undefined) return;
    this.#timedEnd = end;
    this.#timedAt = now;
  }

  /** Data are retransmitted. */
  sentAgain(): void {
    this.#timedEnd = undefined;
  }

  /** All data before a position are acknowledged. Returns the round-trip time, if one was measured. */
  acknowledged(position: number, now: number): number | undefined {
    if (this.#timedEnd === undefined || position < this.#timedEnd) return undefined;
    this.#timedEnd = undefined;
    const rtt = now - this.#timedAt;
    if (this.#smoothed === undefined) {
      this.#smoothed = rtt;
      this.#variation = rtt / 2;
    } else {
      this.#variation += (Math.abs(this.#smoothed - rtt) - this.#variation) / 4;
      this.#smoothed += (rtt - this.#smoothed) / 8;
    }
    return rtt;
  }

  /** The retransmission timeout of Linux; before the first measurement 1 s (RFC 6298, section 2). */
  get timeoutNs(): number {
    if (this.#smoothed === undefined) return 1e9;
    return this.#smoothed + Math.max(this.leastNs, 4 * this.#variation);
  }
}
