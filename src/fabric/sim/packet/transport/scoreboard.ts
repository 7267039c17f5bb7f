/**
 * The segments that were sent and are not acknowledged yet, in order of their positions (the scoreboard of RFC 6675, per
 * segment instead of per byte): a ring in typed arrays, so that a segment needs no object. Segments have consecutive serial
 * numbers; a retransmission keeps the serial and the bounds of its segment.
 */

/** The receiver has it beyond its cumulative acknowledgement. */
const SACKED = 1;
/** It counts as lost and has not been sent again since. */
const LOST = 2;
const RETRANSMITTED = 4;
/** It was sent while the sender had less data than the window allowed. */
const APP_LIMITED = 8;
/** Its last position is a FIN. */
const FIN = 16;

/** Numbers that a segment has in the ring. */
const FIELDS = 8;
const START = 0;
const END = 1;
const SENT_AT = 2;
/** State of the delivery-rate estimator when it was sent. */
const DELIVERED = 3;
const DELIVERED_AT = 4;
const FIRST_SENT_AT = 5;
/** Of a subflow: position of its first byte in the stream of the connection. */
const DATA = 6;
const FIRST_COPY_AT = 7;

const INITIAL_CAPACITY = 16;

export class Scoreboard {
  #fields = new Float64Array(INITIAL_CAPACITY * FIELDS);
  #flags = new Uint8Array(INITIAL_CAPACITY);
  #mask = INITIAL_CAPACITY - 1;
  /** Serial of the oldest segment, and of the one that will be sent next. */
  first = 0;
  last = 0;
  /** Bytes that are SACKed, and bytes that are lost; a segment is never both. */
  sackedBytes = 0;
  sackedSegments = 0;
  lostBytes = 0;
  /** Bytes that ever were found lost. */
  lostInAll = 0;
  /** No segment with a lower serial is lost. */
  #lostFrom = 0;

  get isEmpty(): boolean {
    return this.first === this.last;
  }

  /** Adds a segment that is sent now. */
  push(start: number, end: number, fin: boolean, data: number, now: number): number {
    if (this.last - this.first > this.#mask) this.#grow();
    const serial = this.last++;
    const at = (serial & this.#mask) * FIELDS;
    this.#fields[at + START] = start;
    this.#fields[at + END] = end;
    this.#fields[at + SENT_AT] = now;
    this.#fields[at + FIRST_COPY_AT] = now;
    this.#fields[at + DATA] = data;
    this.#flags[serial & this.#mask] = fin ? FIN : 0;
    return serial;
  }

  /** Stores the state of the rate estimator with a segment that is sent now. */
  stamp(
    serial: number,
    delivered: number,
    deliveredAt: number,
    firstSentAt: number,
    appLimited: boolean,
  ): void {
    const slot = serial & this.#mask;
    const at = slot * FIELDS;
    this.#fields[at + DELIVERED] = delivered;
    this.#fields[at + DELIVERED_AT] = deliveredAt;
    this.#fields[at + FIRST_SENT_AT] = firstSentAt;
    if (appLimited) this.#flags[slot]! |= APP_LIMITED;
    else this.#flags[slot]! &= ~APP_LIMITED;
  }

  start(serial: number): number {
    return this.#fields[(serial & this.#mask) * FIELDS + START]!;
  }

  end(serial: number): number {
    return this.#fields[(serial & this.#mask) * FIELDS + END]!;
  }

  sentAt(serial: number): number {
    return this.#fields[(serial & this.#mask) * FIELDS + SENT_AT]!;
  }

  /** When the segment was sent for the first time. */
  firstCopyAt(serial: number): number {
    return this.#fields[(serial & this.#mask) * FIELDS + FIRST_COPY_AT]!;
  }

  delivered(serial: number): number {
    return this.#fields[(serial & this.#mask) * FIELDS + DELIVERED]!;
  }

  deliveredAt(serial: number): number {
    return this.#fields[(serial & this.#mask) * FIELDS + DELIVERED_AT]!;
  }

  firstSentAt(serial: number): number {
    return this.#fields[(serial & this.#mask) * FIELDS + FIRST_SENT_AT]!;
  }

  data(serial: number): number {
    return this.#fields[(serial & this.#mask) * FIELDS + DATA]!;
  }

  isSacked(serial: number): boolean {
    return (this.#flags[serial & this.#mask]! & SACKED) !== 0;
  }

  isLost(serial: number): boolean {
    return (this.#flags[serial & this.#mask]! & LOST) !== 0;
  }

  isRetransmitted(serial: number): boolean {
    return (this.#flags[serial & this.#mask]! & RETRANSMITTED) !== 0;
  }

  isAppLimited(serial: number): boolean {
    return (this.#flags[serial & this.#mask]! & APP_LIMITED) !== 0;
  }

  hasFin(serial: number): boolean {
    return (this.#flags[serial & this.#mask]! & FIN) !== 0;
  }

  /** The oldest segment is acknowledged: removes it. */
  shift(): void {
    const serial = this.first++;
    const flags = this.#flags[serial & this.#mask]!;
    const bytes = this.end(serial) - this.start(serial);
    if ((flags & SACKED) !== 0) {
      this.sackedBytes -= bytes;
      this.sackedSegments--;
    } else if ((flags & LOST) !== 0) this.lostBytes -= bytes;
  }

  /** Everything before `position`, inside of the oldest segment, is acknowledged. */
  trim(position: number): void {
    const bytes = position - this.start(this.first);
    if (this.isSacked(this.first)) this.sackedBytes -= bytes;
    else if (this.isLost(this.first)) this.lostBytes -= bytes;
    const at = (this.first & this.#mask) * FIELDS;
    this.#fields[at + START] = position;
    this.#fields[at + DATA]! += bytes;
  }

  markSacked(serial: number): void {
    const bytes = this.end(serial) - this.start(serial);
    const slot = serial & this.#mask;
    if ((this.#flags[slot]! & LOST) !== 0) this.lostBytes -= bytes;
    this.#flags[slot] = (this.#flags[slot]! & ~LOST) | SACKED;
    this.sackedBytes += bytes;
    this.sackedSegments++;
  }

  /** Returns true; no effect and false for a segment that is SACKed or already lost. */
  markLost(serial: number): boolean {
    const slot = serial & this.#mask;
    if ((this.#flags[slot]! & (SACKED | LOST)) !== 0) return false;
    this.#flags[slot]! |= LOST;
    const bytes = this.end(serial) - this.start(serial);
    this.lostBytes += bytes;
    this.lostInAll += bytes;
    if (serial < this.#lostFrom) this.#lostFrom = serial;
    return true;
  }

  /** The segment is sent again now; it is in flight. */
  markRetransmitted(serial: number, now: number): void {
    const slot = serial & this.#mask;
    if ((this.#flags[slot]! & LOST) !== 0) this.lostBytes -= this.end(serial) - this.start(serial);
    this.#flags[slot] = (this.#flags[slot]! & ~LOST) | RETRANSMITTED;
    this.#fields[slot * FIELDS + SENT_AT] = now;
  }

  /** Serial of the first lost segment; -1 where none is. */
  firstLost(): number {
    if (this.lostBytes === 0) {
      this.#lostFrom = this.last;
      return -1;
    }
    let serial = Math.max(this.#lostFrom, this.first);
    while (!this.isLost(serial)) serial++;
    this.#lostFrom = serial;
    return serial;
  }

  /** No segment counts as lost any more. */
  clearLost(): void {
    for (let serial = this.first; serial < this.last; serial++) this.#flags[serial & this.#mask]! &= ~LOST;
    this.lostBytes = 0;
  }

  /** No segment counts as SACKed any more: a receiver may forget what it has reported (RFC 2018, section 8). */
  clearSacked(): void {
    for (let serial = this.first; serial < this.last; serial++) this.#flags[serial & this.#mask]! &= ~SACKED;
    this.sackedBytes = 0;
    this.sackedSegments = 0;
  }

  /** Serial of the first segment that ends after `position`; `last` where none does. */
  find(position: number): number {
    let low = this.first;
    let high = this.last;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.end(middle) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #grow(): void {
    const capacity = 2 * (this.#mask + 1);
    const fields = new Float64Array(capacity * FIELDS);
    const flags = new Uint8Array(capacity);
    for (let serial = this.first; serial < this.last; serial++) {
      const from = (serial & this.#mask) * FIELDS;
      const to = (serial & (capacity - 1)) * FIELDS;
      for (let field = 0; field < FIELDS; field++) fields[to + field] = this.#fields[from + field]!;
      flags[serial & (capacity - 1)] = this.#flags[serial & this.#mask]!;
    }
    this.#fields = fields;
    this.#flags = flags;
    this.#mask = capacity - 1;
  }
}
