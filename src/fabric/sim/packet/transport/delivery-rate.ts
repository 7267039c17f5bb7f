/** The rate at which a path delivers, measured over about a round trip (draft-cheng-iccrg-delivery-rate-estimation-02). */
import type { Scoreboard } from "./scoreboard.js";

export class DeliveryRate {
  readonly #board: Scoreboard;
  /** C.delivered, C.delivered_time, C.first_sent_time of the draft. */
  delivered = 0;
  #deliveredAt = 0;
  #firstSentAt = 0;
  /** Bytes up to this count were sent while the application provided too little data; 0: none. */
  #appLimitedUntil = 0;
  /** The sample of this acknowledgement: state when its newest segment was sent; -1 before the first segment. */
  #priorDelivered = -1;
  #priorAt = 0;
  #sendElapsed = 0;
  #newestSentAt = 0;
  /** Bytes delivered by this acknowledgement. */
  newlyDelivered = 0;
  /** Results of {@link sample}. */
  rate = -1;
  appLimited = false;
  roundStart = false;
  #nextRound = 0;

  constructor(board: Scoreboard) {
    this.#board = board;
  }

  /** A segment of the scoreboard is sent now; `idle`: nothing was in flight before it (section 3.2). */
  onSend(serial: number, idle: boolean, now: number): void {
    if (idle) {
      this.#firstSentAt = now;
      this.#deliveredAt = now;
    }
    this.#board.stamp(
      serial,
      this.delivered,
      this.#deliveredAt,
      this.#firstSentAt,
      this.#appLimitedUntil > 0,
    );
  }

  /** The sender has no more data, though its window has room; `inFlight`: bytes (section 3.4). */
  onAppLimited(inFlight: number): void {
    this.#appLimitedUntil = Math.max(this.delivered + inFlight, 1);
  }

  /** Begins the processing of an acknowledgement. */
  begin(): void {
    this.#priorDelivered = -1;
    this.#newestSentAt = -1;
    this.newlyDelivered = 0;
  }

  /** `bytes` of a segment are newly acknowledged or SACKed; called before the scoreboard forgets it (section 3.3). */
  onDelivered(serial: number, bytes: number, now: number): void {
    this.delivered += bytes;
    this.newlyDelivered += bytes;
    this.#deliveredAt = now;
    const board = this.#board;
    const sentAt = board.sentAt(serial);
    if (board.delivered(serial) < this.#priorDelivered || sentAt < this.#newestSentAt) return;
    this.#newestSentAt = sentAt;
    this.#priorDelivered = board.delivered(serial);
    this.#priorAt = board.deliveredAt(serial);
    this.appLimited = board.isAppLimited(serial);
    this.#sendElapsed = sentAt - board.firstSentAt(serial);
    this.#firstSentAt = sentAt;
  }

  /** Ends the processing: sets {@link rate} (bytes per second), {@link appLimited} and {@link roundStart}. */
  sample(now: number, minRttNs: number): void {
    if (this.#appLimitedUntil > 0 && this.delivered > this.#appLimitedUntil) this.#appLimitedUntil = 0;
    this.rate = -1;
    this.roundStart = false;
    if (this.#priorDelivered < 0) return;
    if (this.#priorDelivered >= this.#nextRound) {
      this.#nextRound = this.delivered;
      this.roundStart = true;
    }
    // The greater of both intervals: acknowledgements may arrive in bursts.
    const interval = Math.max(this.#sendElapsed, now - this.#priorAt);
    if (interval > 0 && interval >= minRttNs)
      this.rate = ((this.delivered - this.#priorDelivered) * 1e9) / interval;
  }
}
