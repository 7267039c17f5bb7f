/**
 * Which segments count as lost, by the time at which they were sent (RACK, RFC 8985, section 6): a segment is lost when one
 * that was sent later has arrived, and a reordering window has passed. The window adapts to reordering that is seen.
 */
import type { Scoreboard } from "./scoreboard.js";

/** RFC 8985, section 6.2: duplicate acknowledgements after which the window is zero while no reordering was seen. */
const DUPLICATE_THRESHOLD = 3;

/** Section 6.2, step 4: recoveries for which a larger window stays. */
const PERSISTENCE = 16;

export class Rack {
  readonly #board: Scoreboard;
  /** Of all segments that have arrived, the one sent last: its send time and its end. */
  #sentAt = -1;
  #end = 0;
  /** Round trip of that segment. */
  rtt = 0;
  minRtt = Number.POSITIVE_INFINITY;
  /** Highest position that has arrived. */
  #forward = 0;
  reorderingSeen: boolean;
  #multiplier = 1;
  #persist = PERSISTENCE;
  /** A further DSACK counts after this position is acknowledged; -1: the next one counts. */
  #dsackRound = -1;

  /** @param tolerant reordering is expected from the beginning */
  constructor(board: Scoreboard, tolerant: boolean) {
    this.#board = board;
    this.reorderingSeen = tolerant;
  }

  /** Steps 1 to 3: the segment has arrived; called before the scoreboard forgets it. */
  onDelivered(serial: number, now: number): void {
    const board = this.#board;
    let sentAt = board.sentAt(serial);
    const end = board.end(serial);
    let rtt = now - sentAt;
    const again = board.isRetransmitted(serial);
    if (end > this.#forward) this.#forward = end;
    else if (end < this.#forward && !again) this.reorderingSeen = true;
    if (again && rtt < this.minRtt) {
      // An acknowledgement within the minimum round trip after a retransmission answers the first copy. RFC 8985 leaves it out, but without
      // timestamps nothing would tell then of the segments before the last one of a tail whose probe was sent too early.
      sentAt = board.firstCopyAt(serial);
      rtt = now - sentAt;
    }
    if (!again && rtt < this.minRtt) this.minRtt = rtt;
    if (!sentAfter(sentAt, end, this.#sentAt, this.#end)) return;
    this.#sentAt = sentAt;
    this.#end = end;
    this.rtt = rtt;
  }

  /** Step 4: a DSACK shows that the window was too small; `next`: the first position that was never sent. */
  onDuplicateSack(acknowledged: number, next: number): void {
    if (this.#dsackRound >= 0 && acknowledged < this.#dsackRound) return;
    this.#dsackRound = next;
    this.#multiplier++;
    this.#persist = PERSISTENCE;
  }

  /** Step 4: a recovery has ended. */
  onRecovered(): void {
    if (--this.#persist > 0) return;
    this.#persist = PERSISTENCE;
    this.#multiplier = 1;
  }

  /** Reordering window in nanoseconds. */
  reorderingWindow(inRecovery: boolean, smoothedRtt: number): number {
    if (!this.reorderingSeen && (inRecovery || this.#board.sackedSegments >= DUPLICATE_THRESHOLD)) return 0;
    if (this.minRtt === Number.POSITIVE_INFINITY) return 0;
    return Math.min((this.#multiplier * this.minRtt) / 4, smoothedRtt);
  }

  /**
   * Step 5: marks what is lost. Returns in how many nanoseconds the last of the segments that were overtaken counts as lost; 0
   * where none is.
   */
  detect(window: number, now: number): number {
    const board = this.#board;
    let wait = 0;
    for (let serial = board.first; serial < board.last; serial++) {
      const sentAt = board.sentAt(serial);
      if (!sentAfter(this.#sentAt, this.#end, sentAt, board.end(serial))) {
        // All later segments that were sent once were sent later still, and retransmissions of them too.
        if (!board.isRetransmitted(serial)) break;
        continue;
      }
      if (board.isSacked(serial) || board.isLost(serial)) continue;
      const remaining = sentAt + this.rtt + window - now;
      if (remaining <= 0) board.markLost(serial);
      else wait = Math.max(wait, remaining);
    }
    return wait;
  }

  /** Section 6.3: after a timeout the first segment is lost, and all that were sent before the window. */
  markAfterTimeout(window: number, now: number): void {
    const board = this.#board;
    for (let serial = board.first; serial < board.last; serial++)
      if (serial === board.first || board.sentAt(serial) + this.rtt + window <= now) board.markLost(serial);
  }
}

/** Section 6.1. */
function sentAfter(at: number, end: number, otherAt: number, otherEnd: number): boolean {
  return at > otherAt || (at === otherAt && end > otherEnd);
}
