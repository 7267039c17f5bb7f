/** The receiving half of the message transport: what has arrived, and what it tells the sender. */
import {
  BITMAP_PACKETS,
  bitmapBase,
  MESSAGE_HEADER_LENGTH,
  type MessageHeader,
  type Segment,
  unwrap,
} from "../../../../../base/packets/index.js";
import { type PathChooser, ReceiveWindow } from "../../../../hosts/index.js";
import type { ConnectionCounters } from "../../connection.js";
import type { MessageOptions } from "./message-options.js";

/** What the receiver uses of its connection. */
export interface ReceiverEnd {
  readonly options: Pick<MessageOptions, "recovery" | "notificationInterval" | "segmentBytes">;
  readonly chooser: PathChooser;
  readonly counters: ConnectionCounters;
  now(): number;
  /** Sends a packet without data. The header is used before the call returns. */
  reply(header: MessageHeader, selector: number): void;
  /** So many bytes have arrived in order. */
  received(bytes: number): void;
}

export class MessageReceiver {
  readonly #end: ReceiverEnd;
  readonly #reply: MessageHeader;
  readonly #arrived = new ReceiveWindow();
  /** Payload of packets that arrived above a gap, by their numbers. */
  readonly #early = new Map<number, number>();
  #highest = -1;
  /** Go-back-N: whether the present gap has been reported. */
  #reported = false;
  #notifiedAt = Number.NEGATIVE_INFINITY;
  bytesReceived = 0;

  constructor(end: ReceiverEnd, reply: MessageHeader) {
    this.#end = end;
    this.#reply = reply;
  }

  /** A packet of data, with its header read. */
  receive(segment: Segment, header: MessageHeader, selector: number): void {
    const { chooser, counters, options } = this.#end;
    const next = this.#arrived.next;
    const sequence = unwrap(header.sequence, next);
    const bytes = segment.payloadLength - MESSAGE_HEADER_LENGTH;
    const { marked, hopLimit } = segment;
    const answer = { sequence, attempt: header.attempt, marked, hopLimit, echo: selector };
    if (marked) {
      counters.marked++;
      this.#notify(answer);
    }
    if (sequence > next && options.recovery === "go_back_n") {
      this.#reportGap(answer);
      return;
    }
    const isNew = this.#arrived.add(sequence, sequence + 1);
    if (isNew) this.#note(sequence);
    if (isNew && sequence > next) this.#early.set(sequence, bytes);
    const before = this.bytesReceived;
    if (isNew && sequence === next) this.#deliver(bytes, next);
    const selectors = chooser.onData({ selector, echo: header.echo }, !isNew);
    counters.copiesSent += selectors.length - 1;
    for (const one of selectors) this.#answer("ack", answer, one);
    if (this.bytesReceived > before) this.#end.received(this.bytesReceived);
  }

  /**
   * A packet whose data a switch has cut off: what has not arrived otherwise is asked for at once. The mark of the answer says that the path is
   * congested, so that its selector is not taken for a good one.
   */
  receiveTrimmed({ hopLimit }: Segment, header: MessageHeader, selector: number): void {
    const { chooser, options } = this.#end;
    const next = this.#arrived.next;
    const sequence = unwrap(header.sequence, next);
    const answer = { sequence, attempt: header.attempt, marked: true, hopLimit, echo: selector };
    this.#notify(answer);
    if (sequence >= next && options.recovery === "go_back_n") {
      if (sequence === next) this.#reported = false;
      this.#reportGap(answer);
      return;
    }
    const has = sequence < next || this.#early.has(sequence);
    const selectors = chooser.onData({ selector, echo: header.echo, marked: true }, has);
    for (const one of selectors) this.#answer(has ? "ack" : "nack", answer, one);
  }

  /** Go-back-N: everything above a gap is discarded, so that it is no new data; RoCE reports each gap once. */
  #reportGap(answer: Answer): void {
    this.#highest = Math.max(this.#highest, answer.sequence);
    if (!this.#reported) this.#answer("nack", answer, this.#end.chooser.selector);
    this.#reported = true;
  }

  /** The packet closes a gap, or there was none. */
  #deliver(bytes: number, sequence: number): void {
    this.#reported = false;
    this.bytesReceived += bytes;
    for (let i = sequence + 1; i < this.#arrived.next; i++) {
      this.bytesReceived += this.#early.get(i) ?? 0;
      this.#early.delete(i);
    }
  }

  #note(sequence: number): void {
    const { counters, chooser, options } = this.#end;
    if (sequence < this.#highest) {
      const late = (this.#highest - sequence) * options.segmentBytes;
      counters.reordered++;
      counters.maxReorderingBytes = Math.max(counters.maxReorderingBytes, late);
      chooser.onReordering?.(late);
    }
    this.#highest = Math.max(this.#highest, sequence);
  }

  /** DCQCN's notification point: at most one packet in each interval (section 3.1). */
  #notify(answer: Answer): void {
    const { notificationInterval } = this.#end.options;
    const now = this.#end.now();
    if (notificationInterval === undefined || now - this.#notifiedAt < notificationInterval) return;
    this.#notifiedAt = now;
    this.#answer("cnp", answer, this.#end.chooser.selector);
  }

  #answer(kind: MessageHeader["kind"], answer: Answer, selector: number): void {
    const header = this.#reply;
    header.kind = kind;
    header.last = false;
    header.marked = answer.marked;
    header.attempt = answer.attempt;
    header.hopLimit = answer.hopLimit;
    header.sequence = answer.sequence;
    header.cumulative = this.#arrived.next;
    header.echo = answer.echo;
    header.bitmap.fill(0);
    if (kind === "ack" || (kind === "nack" && this.#end.options.recovery === "selective_repeat"))
      this.#fillBitmap(answer.sequence, header);
    this.#end.reply(header, selector);
  }

  #fillBitmap(sequence: number, { bitmap }: MessageHeader): void {
    if (this.#early.size === 0) return;
    const base = bitmapBase(this.#arrived.next, sequence);
    for (let i = 0; i < BITMAP_PACKETS; i++) if (this.#early.has(base + i)) bitmap[i >>> 5]! |= 1 << (i & 31);
  }
}

interface Answer {
  readonly sequence: number;
  readonly attempt: number;
  readonly marked: boolean;
  readonly hopLimit: number;
  readonly echo: number;
}
