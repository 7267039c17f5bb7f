/**
 * One end of a reliable byte stream: sequence numbers, a fixed window, cumulative acknowledgements,
 * retransmission on timeout and on three duplicate acknowledgements. There is no handshake and no congestion
 * control: connections are open when a run starts, as in the failover experiments that this serves.
 */

import {
  type FlowKey,
  type PathChooser,
  ReceiveWindow,
  type SegmentMarks,
  unwrap,
} from "../../hosts/index.js";
import type { Segment, SegmentBuilder } from "./frames.js";
import { FLAG_ACK, FLAG_ECE, FLAG_PSH } from "./frames.js";
import { type RetransmissionOptions, RetransmissionTimeout } from "./retransmission-timer.js";

export interface TransportOptions extends RetransmissionOptions {
  /** Payload bytes of a full segment. */
  segmentBytes: number;
  /** Full segments that may be in flight. */
  windowSegments: number;
}

/** What a connection asks of its host. */
export interface ConnectionHost {
  /** Virtual time in nanoseconds. */
  now(): number;
  /** Sends a frame by the NIC that the host's policy picks for the selector. */
  transmit(connection: Connection, frame: Uint8Array, selector: number): void;
  /** Wakes the connection by {@link Connection.onTimer} at or before the deadline that it has then. */
  setTimer(connection: Connection): void;
}

/** What an experiment can watch; times come from the simulation. */
export interface ConnectionListener {
  /** The retransmission timer ran out, for the `attempt`-th time since the last progress. */
  timedOut?(attempt: number): void;
  /** New data was acknowledged after `attempts` timeouts in a row. */
  recovered?(attempts: number): void;
  /** All data that was to be sent has been acknowledged. */
  finished?(): void;
}

const DUPLICATE_ACKS_FOR_LOSS = 3;

export class Connection {
  readonly #host: ConnectionHost;
  readonly #builder: SegmentBuilder;
  readonly #options: TransportOptions;
  readonly #received = new ReceiveWindow();
  readonly timeout: RetransmissionTimeout;
  listener: ConnectionListener = {};

  /** Stream positions: oldest unacknowledged byte, next byte to send, first byte that never was sent, end of data. */
  #unacknowledged = 0;
  #next = 0;
  #highest = 0;
  #end = 0;
  #duplicateAcks = 0;
  /** End of the segment whose round trip is being timed, and when it was sent; 0 when none is. */
  #timedEnd = 0;
  #timedAt = 0;
  /** When new data was acknowledged last, or when the connection began to send again with nothing in flight. */
  progressAt = 0;
  /** When the retransmission timer runs out; Infinity when nothing is in flight. */
  deadline = Number.POSITIVE_INFINITY;
  #closed = false;
  /** When data was sent last; 0 before the first. */
  #sentAt = 0;
  /** End of the highest data that came in. */
  #highestReceived = 0;
  /** The round ends when data beyond this position are acknowledged; -1 before the first acknowledgement. */
  #roundEnd = -1;
  #roundBegan = 0;
  #roundAcked = 0;
  #roundMarked = 0;
  /** Selector of the last segment that came in. */
  #echo = 0;
  segmentsSent = 0;
  retransmissions = 0;
  /** Segments and acknowledgements that the path chooser asked for beyond one for a timeout or a received segment. */
  copiesSent = 0;

  constructor(
    host: ConnectionHost,
    /** Number by which the host's timer finds the connection. */
    readonly index: number,
    readonly flow: FlowKey,
    readonly chooser: PathChooser,
    builder: SegmentBuilder,
    options: TransportOptions,
  ) {
    this.#host = host;
    this.#builder = builder;
    this.#options = options;
    this.timeout = new RetransmissionTimeout(options);
  }

  get bytesAcknowledged(): number {
    return this.#unacknowledged;
  }

  get bytesReceived(): number {
    return this.#received.next;
  }

  /** Adds data to send; Infinity for a flow without an end. */
  send(bytes: number): void {
    this.#end += bytes;
    this.#fillWindow();
  }

  /** Stops at once: nothing more is sent, what arrives is ignored. */
  close(): void {
    this.#closed = true;
    this.deadline = Number.POSITIVE_INFINITY;
  }

  receive(segment: Segment, selector: number): void {
    if (this.#closed) return;
    // A segment without our option comes from elsewhere, a switch perhaps: it tells nothing about paths.
    let marks: SegmentMarks | undefined;
    if (segment.hasEcho) {
      const { echo } = segment;
      marks = (segment.flags & FLAG_ECE) === 0 ? { selector, echo } : { selector, echo, marked: true };
      this.#echo = selector;
    }
    if (segment.payloadLength > 0) this.#receiveData(segment, marks);
    if ((segment.flags & FLAG_ACK) !== 0) this.#receiveAck(segment, marks);
  }

  /** The host's timer is due: retransmits if the deadline has come, else asks to be woken again. */
  onTimer(): void {
    if (this.deadline === Number.POSITIVE_INFINITY) return;
    if (this.#host.now() < this.deadline) {
      this.#host.setTimer(this);
      return;
    }
    const attempt = ++this.timeout.attempts;
    this.#duplicateAcks = 0;
    this.#timedEnd = 0;
    this.listener.timedOut?.(attempt);
    if (this.#closed) return;
    // Go back: the first segment now, the rest as acknowledgements come.
    const length = Math.min(this.#options.segmentBytes, this.#end - this.#unacknowledged);
    this.#next = this.#unacknowledged + length;
    const selectors = this.chooser.onTimeout(attempt);
    this.copiesSent += selectors.length - 1;
    for (const selector of selectors) {
      this.retransmissions++;
      this.#sendData(this.#unacknowledged, length, selector);
    }
    this.#startTimer();
  }

  #receiveData(segment: Segment, marks: SegmentMarks | undefined): void {
    const start = unwrap(segment.sequence, this.#received.next);
    const end = start + segment.payloadLength;
    const isNew = this.#received.add(start, end);
    if (isNew && start < this.#highestReceived) this.chooser.onReordering?.(this.#highestReceived - start);
    this.#highestReceived = Math.max(this.#highestReceived, end);
    const selectors = marks === undefined ? [this.chooser.selector] : this.chooser.onData(marks, !isNew);
    const flags = segment.marked ? FLAG_ACK | FLAG_ECE : FLAG_ACK;
    this.copiesSent += selectors.length - 1;
    for (const selector of selectors) {
      const frame = this.#builder.build(this.#next, this.#received.next, 0, flags, selector, this.#echo);
      this.#host.transmit(this, frame, selector);
    }
  }

  #receiveAck(segment: Segment, marks: SegmentMarks | undefined): void {
    const acknowledged = unwrap(segment.acknowledgement, this.#unacknowledged);
    if (acknowledged > this.#highest) return;
    if (acknowledged <= this.#unacknowledged) {
      if (acknowledged < this.#unacknowledged || segment.payloadLength > 0) return;
      if (this.#highest === this.#unacknowledged) return;
      if (++this.#duplicateAcks === DUPLICATE_ACKS_FOR_LOSS && this.timeout.attempts === 0)
        this.#resendFirst();
      return;
    }
    let rtt: number | undefined;
    if (this.#timedEnd > 0 && acknowledged >= this.#timedEnd) {
      rtt = this.#host.now() - this.#timedAt;
      this.timeout.sample(rtt);
      this.#timedEnd = 0;
    }
    const attempts = this.timeout.attempts;
    this.timeout.attempts = 0;
    this.#duplicateAcks = 0;
    const bytes = acknowledged - this.#unacknowledged;
    this.#unacknowledged = acknowledged;
    this.progressAt = this.#host.now();
    if (this.#next < acknowledged) this.#next = acknowledged;
    if (marks !== undefined) this.chooser.onAck(marks, rtt);
    this.#countRound(bytes, marks?.marked === true);
    if (attempts > 0) this.listener.recovered?.(attempts);
    if (this.#closed) return;
    if (acknowledged === this.#end) {
      this.deadline = Number.POSITIVE_INFINITY;
      this.listener.finished?.();
      return;
    }
    if (this.#highest > acknowledged) this.#startTimer();
    else this.deadline = Number.POSITIVE_INFINITY;
    this.#fillWindow();
  }

  #countRound(bytes: number, marked: boolean): void {
    if (this.chooser.onRound === undefined) return;
    this.#roundAcked += bytes;
    if (marked) this.#roundMarked += bytes;
    // RFC 8257, section 3.3: a round ends with the first acknowledgement of data that were not sent yet when it began.
    if (this.#unacknowledged <= this.#roundEnd) return;
    const now = this.#host.now();
    const [ackedBytes, markedBytes] = [this.#roundAcked, this.#roundMarked];
    const durationNs = now - this.#roundBegan;
    // The first acknowledgement only begins the first round.
    const isRound = this.#roundEnd >= 0;
    this.#roundEnd = this.#highest;
    this.#roundBegan = now;
    this.#roundAcked = 0;
    this.#roundMarked = 0;
    if (isRound) this.chooser.onRound({ ackedBytes, markedBytes, durationNs });
  }

  #fillWindow(): void {
    if (this.#closed) return;
    const { segmentBytes, windowSegments } = this.#options;
    const limit = Math.min(this.#unacknowledged + segmentBytes * windowSegments, this.#end);
    if (this.#next < limit && this.#sentAt > 0 && this.#highest === this.#unacknowledged) {
      const idle = this.#host.now() - this.#sentAt;
      if (idle >= this.timeout.current) this.chooser.onIdle?.(idle);
    }
    while (this.#next < limit) {
      const length = Math.min(segmentBytes, limit - this.#next);
      const end = this.#next + length;
      if (this.#next < this.#highest) {
        this.retransmissions++;
        this.#timedEnd = 0;
      } else if (this.#timedEnd === 0) {
        this.#timedEnd = end;
        this.#timedAt = this.#host.now();
      }
      const { chooser } = this;
      const selector =
        chooser.selectorFor === undefined
          ? chooser.selector
          : chooser.selectorFor({ position: this.#next, bytes: length, nowNs: this.#host.now() });
      this.#sendData(this.#next, length, selector);
      this.#next = end;
      if (this.deadline === Number.POSITIVE_INFINITY) {
        this.progressAt = this.#host.now();
        this.#startTimer();
      }
    }
  }

  /** Fast retransmit: the path works, so the selector stays unless the chooser wants another one. */
  #resendFirst(): void {
    this.retransmissions++;
    this.#timedEnd = 0;
    const length = Math.min(this.#options.segmentBytes, this.#end - this.#unacknowledged);
    const selectors = this.chooser.onFastRetransmit?.() ?? [this.chooser.selector];
    this.copiesSent += selectors.length - 1;
    for (const selector of selectors) this.#sendData(this.#unacknowledged, length, selector);
    this.#startTimer();
  }

  #sendData(position: number, length: number, selector: number): void {
    this.segmentsSent++;
    this.#sentAt = this.#host.now();
    if (position + length > this.#highest) this.#highest = position + length;
    const frame = this.#builder.build(
      position,
      this.#received.next,
      length,
      FLAG_ACK | FLAG_PSH,
      selector,
      this.#echo,
    );
    this.#host.transmit(this, frame, selector);
  }

  #startTimer(): void {
    this.deadline = this.#host.now() + this.timeout.current;
    this.#host.setTimer(this);
  }
}
