/**
 * Proportional Rate Reduction (RFC 9937, which replaces RFC 6937): the window of a fast recovery. It reduces the flight to
 * the threshold over one round trip, in proportion to delivered data, instead of a silence followed by a burst.
 */
import type { AckSample } from "./congestion-control.js";

export class RateReduction {
  readonly #mss: number;
  /** ssthresh: the flight at the end of the recovery. */
  #target = 0;
  #beganNs = -1;
  #first = false;
  /** RecoverFS: bytes that were sent and not delivered when the recovery began. */
  #flightAtStart = 0;
  /** prr_delivered and prr_out. */
  #delivered = 0;
  #sent = 0;
  #inFlight = 0;
  /** Bytes that may be in flight now. */
  window = 0;

  constructor(mss: number) {
    this.#mss = mss;
  }

  /**
   * RFC 9937, section 6: a recovery begins.
   *
   * @param target threshold of the congestion control, in bytes
   * @param inFlight bytes in flight after what is lost was taken out
   * @param lost bytes that were found lost
   */
  begin(nowNs: number, target: number, inFlight: number, lost: number): void {
    this.#target = target;
    this.#beganNs = nowNs;
    this.#first = true;
    this.#flightAtStart = inFlight + lost;
    this.#delivered = 0;
    this.#sent = 0;
    this.#inFlight = inFlight;
    // One segment is retransmitted at once, for any flight.
    this.window = inFlight + this.#mss;
  }

  /** RFC 9937, section 6.2: the window after an acknowledgement. */
  onAck(sample: AckSample): void {
    const { nowNs, deliveredBytes, priorInFlight, lostBytes, advanced } = sample;
    let inFlight = sample.inFlight;
    if (this.#first && nowNs === this.#beganNs) {
      // The acknowledgement that began the recovery: the data that it delivered were outstanding before it. The first retransmission
      // may already have left; it is a part of what this acknowledgement lets out, not in addition to it.
      this.#flightAtStart += deliveredBytes;
      inFlight = this.#inFlight;
    } else this.#sent += Math.max(priorInFlight - this.#inFlight, 0);
    this.#first = false;
    this.#inFlight = inFlight;
    this.#delivered += deliveredBytes;
    let count: number;
    if (inFlight > this.#target) {
      count = Math.ceil((this.#delivered * this.#target) / Math.max(this.#flightAtStart, 1)) - this.#sent;
    } else {
      count = Math.max(this.#delivered - this.#sent, deliveredBytes);
      // "safeACK": the acknowledgement moved SND.UNA and reported no further loss.
      if (advanced && lostBytes === 0) count += this.#mss;
      count = Math.min(this.#target - inFlight, count);
    }
    if (this.#sent === 0 && count < this.#mss) count = this.#mss;
    // At least a segment: a flight that was lost as a whole must not wait for the timer.
    this.window = Math.max(inFlight + Math.max(count, 0), this.#mss);
  }
}
