/** Notifies a path chooser of each round trip of its data: in the transports of the simulator, and in the agent on a real host. */
import type { PathChooser } from "./host-policy.js";

export class RoundCounter {
  readonly #chooser: PathChooser;
  /** The round ends when data beyond this position are acknowledged; -1 before the first acknowledgement. */
  #end = -1;
  #began = 0;
  #acked = 0;
  #marked = 0;

  constructor(chooser: PathChooser) {
    this.#chooser = chooser;
  }

  /**
   * New data were acknowledged: `bytes` more, everything before `acknowledged`; `next` is the position of the first byte that
   * was never sent.
   */
  acknowledge(bytes: number, marked: boolean, acknowledged: number, next: number, now: number): void {
    if (this.#chooser.onRound === undefined) return;
    this.#acked += bytes;
    if (marked) this.#marked += bytes;
    // RFC 8257, section 3.3: a round ends with the first acknowledgement of data that were not sent yet when it began.
    if (acknowledged <= this.#end) return;
    const round = { ackedBytes: this.#acked, markedBytes: this.#marked, durationNs: now - this.#began };
    // The first acknowledgement only begins the first round.
    const isRound = this.#end >= 0;
    this.#end = next;
    this.#began = now;
    this.#acked = 0;
    this.#marked = 0;
    if (isRound) this.#chooser.onRound(round);
  }
}
