/**
 * One end of a byte stream of the failover experiments: a fixed window, cumulative acknowledgements, go-back-N after a
 * timeout, one retransmission after three duplicate acknowledgements. There is no handshake, no close and no congestion
 * control: connections are open when a run starts. It exists in addition to {@link TcpConnection} because TCP's rules (recovery by
 * SACK and RACK, delayed acknowledgements, round trips measured for each segment) would each need an exception to send the
 * same segments at the same times, on which the figures of these experiments depend.
 */

import type { SegmentBuilder } from "../../../../base/packets/index.js";
import {
  FLAG_ACK,
  FLAG_ECE,
  FLAG_PSH,
  type FlowKey,
  type Segment,
  unwrap,
} from "../../../../base/packets/index.js";
import { type PathChooser, ReceiveWindow, RoundCounter, type SegmentMarks } from "../../../hosts/index.js";
import {
  type Connection,
  ConnectionCounters,
  type ConnectionHost,
  type ConnectionListener,
} from "../connection.js";
import { type RetransmissionOptions, RetransmissionTimeout } from "../retransmission-timer.js";

export interface FixedStreamOptions extends RetransmissionOptions {
  readonly protocol?: "fixed";
  /** Payload bytes of a full segment. */
  segmentBytes: number;
  /** Full segments that may be in flight. */
  windowSegments: number;
}

const DUPLICATE_ACKS_FOR_LOSS = 3;

export class FixedStream implements Connection {
  readonly #host: ConnectionHost;
  readonly #builder: SegmentBuilder;
  readonly #options: FixedStreamOptions;
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
  progressAt = 0;
  deadline = Number.POSITIVE_INFINITY;
  #closed = false;
  /** Time of the last departure of data; 0 before the first. */
  #sentAt = 0;
  /** End of the highest data that came in. */
  #highestReceived = 0;
  readonly #rounds: RoundCounter;
  /** Selector of the last segment that came in. */
  #echo = 0;
  readonly counters = new ConnectionCounters();
  /** Acknowledgements do not wait, and segments are not paced. */
  readonly soon = Number.POSITIVE_INFINITY;

  constructor(
    host: ConnectionHost,
    readonly index: number,
    readonly flow: FlowKey,
    readonly chooser: PathChooser,
    builder: SegmentBuilder,
    options: FixedStreamOptions,
  ) {
    this.#host = host;
    this.#builder = builder;
    this.#options = options;
    this.timeout = new RetransmissionTimeout(options);
    this.#rounds = new RoundCounter(chooser);
  }

  get bytesAcknowledged(): number {
    return this.#unacknowledged;
  }

  get bytesReceived(): number {
    return this.#received.next;
  }

  get repaths(): number | undefined {
    return this.chooser.repaths;
  }

  send(bytes: number): void {
    this.#end += bytes;
    this.#fillWindow();
  }

  /** The stream has no end that the other side would see. */
  finish(): void {}

  close(): void {
    this.#closed = true;
    this.deadline = Number.POSITIVE_INFINITY;
  }

  onSoon(): void {}

  receive(segment: Segment, selector: number): void {
    if (this.#closed) return;
    // A segment without our option comes from another sender, such as a switch: it has no information about paths.
    let marks: SegmentMarks | undefined;
    if (segment.hasEcho) {
      const { echo } = segment;
      marks = (segment.flags & FLAG_ECE) === 0 ? { selector, echo } : { selector, echo, marked: true };
      this.#echo = selector;
    }
    if (segment.payloadLength > 0) this.#receiveData(segment, marks);
    if ((segment.flags & FLAG_ACK) !== 0) this.#receiveAck(segment, marks);
  }

  /** The host's timer is due: retransmits if the deadline has passed, otherwise sets the timer again. */
  onTimer(): void {
    if (this.deadline === Number.POSITIVE_INFINITY) return;
    if (this.#host.now() < this.deadline) {
      this.#host.setTimer(this);
      return;
    }
    const attempt = ++this.timeout.attempts;
    this.counters.timeouts++;
    this.#duplicateAcks = 0;
    this.#timedEnd = 0;
    this.listener.timedOut?.(attempt);
    if (this.#closed) return;
    // Go back: the first segment now, the rest as acknowledgements come.
    const length = Math.min(this.#options.segmentBytes, this.#end - this.#unacknowledged);
    this.#next = this.#unacknowledged + length;
    const selectors = this.chooser.onTimeout(attempt);
    this.counters.copiesSent += selectors.length - 1;
    for (const selector of selectors) {
      this.counters.retransmissions++;
      this.#sendData(this.#unacknowledged, length, selector);
    }
    this.#startTimer();
  }

  #receiveData(segment: Segment, marks: SegmentMarks | undefined): void {
    const start = unwrap(segment.sequence, this.#received.next);
    const end = start + segment.payloadLength;
    const before = this.#received.next;
    const isNew = this.#received.add(start, end);
    if (segment.marked) this.counters.marked++;
    if (isNew && start < this.#highestReceived) {
      const late = this.#highestReceived - start;
      this.counters.reordered++;
      this.counters.maxReorderingBytes = Math.max(this.counters.maxReorderingBytes, late);
      this.chooser.onReordering?.(late);
    }
    this.#highestReceived = Math.max(this.#highestReceived, end);
    const selectors = marks === undefined ? [this.chooser.selector] : this.chooser.onData(marks, !isNew);
    const flags = segment.marked ? FLAG_ACK | FLAG_ECE : FLAG_ACK;
    this.counters.copiesSent += selectors.length - 1;
    for (const selector of selectors) {
      const frame = this.#builder.build(this.#next, this.#received.next, 0, flags, selector, this.#echo);
      this.#host.transmit(this, frame, selector);
    }
    if (this.#received.next > before) this.listener.received?.(this.#received.next);
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
    if (this.#highest === acknowledged) this.chooser.onDrained?.();
    if (marks !== undefined) this.chooser.onAck(marks, rtt);
    this.#rounds.acknowledge(bytes, marks?.marked === true, acknowledged, this.#highest, this.progressAt);
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
    if (this.#next < limit && this.#sentAt > 0 && this.#highest === this.#unacknowledged) {
      const idle = this.#host.now() - this.#sentAt;
      if (idle >= this.timeout.current) this.chooser.onIdle?.(idle);
    }
    while (this.#next < limit) {
      const isNew = this.#next >= this.#highest;
      if (isNew && this.chooser.holds === true && this.#highest > this.#unacknowledged) return;
      const length = Math.min(segmentBytes, limit - this.#next);
      const end = this.#next + length;
      if (this.#next < this.#highest) {
        this.counters.retransmissions++;
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
    this.counters.fastRetransmits++;
    this.counters.retransmissions++;
    this.#timedEnd = 0;
    const length = Math.min(this.#options.segmentBytes, this.#end - this.#unacknowledged);
    const selectors = this.chooser.onFastRetransmit?.() ?? [this.chooser.selector];
    this.counters.copiesSent += selectors.length - 1;
    for (const selector of selectors) this.#sendData(this.#unacknowledged, length, selector);
    this.#startTimer();
  }

  #sendData(position: number, length: number, selector: number): void {
    this.counters.segmentsSent++;
    this.counters.bytesSent += length;
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
