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
import { FLAG_ACK, FLAG_PSH } from "./frames.js";
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
    const marks: SegmentMarks = { selector, echo: segment.echo };
    this.#echo = selector;
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

  #receiveData(segment: Segment, marks: SegmentMarks): void {
    const start = unwrap(segment.sequence, this.#received.next);
    const isNew = this.#received.add(start, start + segment.payloadLength);
    const selectors = this.chooser.onData(marks, !isNew);
    this.copiesSent += selectors.length - 1;
    for (const selector of selectors) {
      const frame = this.#builder.build(this.#next, this.#received.next, 0, FLAG_ACK, selector, this.#echo);
      this.#host.transmit(this, frame, selector);
    }
  }

  #receiveAck(segment: Segment, marks: SegmentMarks): void {
    const acknowledged = unwrap(segment.acknowledgement, this.#unacknowledged);
    if (acknowledged > this.#highest) return;
    if (acknowledged <= this.#unacknowledged) {
      if (acknowledged < this.#unacknowledged || segment.payloadLength > 0) return;
      if (this.#highest === this.#unacknowledged) return;
      if (++this.#duplicateAcks === DUPLICATE_ACKS_FOR_LOSS && this.timeout.attempts === 0)
        this.#resendFirst();
      return;
    }
    if (this.#timedEnd > 0 && acknowledged >= this.#timedEnd) {
      this.timeout.sample(this.#host.now() - this.#timedAt);
      this.#timedEnd = 0;
    }
    const attempts = this.timeout.attempts;
    this.timeout.attempts = 0;
    this.#duplicateAcks = 0;
    this.#unacknowledged = acknowledged;
    this.progressAt = this.#host.now();
    if (this.#next < acknowledged) this.#next = acknowledged;
    this.chooser.onAck(marks);
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

  #fillWindow(): void {
    if (this.#closed) return;
    const { segmentBytes, windowSegments } = this.#options;
    const limit = Math.min(this.#unacknowledged + segmentBytes * windowSegments, this.#end);
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
      this.#sendData(this.#next, length, this.chooser.selector);
      this.#next = end;
      if (this.deadline === Number.POSITIVE_INFINITY) {
        this.progressAt = this.#host.now();
        this.#startTimer();
      }
    }
  }

  /** Fast retransmit: the path works, so the selector stays. */
  #resendFirst(): void {
    this.retransmissions++;
    this.#timedEnd = 0;
    const length = Math.min(this.#options.segmentBytes, this.#end - this.#unacknowledged);
    this.#sendData(this.#unacknowledged, length, this.chooser.selector);
    this.#startTimer();
  }

  #sendData(position: number, length: number, selector: number): void {
    this.segmentsSent++;
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
