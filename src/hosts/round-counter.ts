/** Rounds of a sender (RFC 8257, section 3.3), for every transport: positions are those of the stream that is sent. */
import type { Round } from "./host-policy.js";

export class RoundCounter {
  /** The round ends when data beyond this position are acknowledged; -1 before the first acknowledgement. */
  #end = -1;
  #began = 0;
  #acked = 0;
  #marked = 0;

  /**
   * `bytes` more were acknowledged, now all up to `position`, and `highest` is the end of what was sent. Returns the round that
   * this ended: the first acknowledgement of data that were not sent yet when the round began ends it. The very first
   * acknowledgement only begins the first round.
   */
  acknowledged(
    position: number,
    bytes: number,
    isMarked: boolean,
    highest: number,
    nowNs: number,
  ): Round | undefined {
    this.#acked += bytes;
    if (isMarked) this.#marked += bytes;
    if (position <= this.#end) return undefined;
    const round =
      this.#end < 0
        ? undefined
        : { ackedBytes: this.#acked, markedBytes: this.#marked, durationNs: nowNs - this.#began };
    this.#end = highest;
    this.#began = nowNs;
    this.#acked = 0;
    this.#marked = 0;
    return round;
  }
}
