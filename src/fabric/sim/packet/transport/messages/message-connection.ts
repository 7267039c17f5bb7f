/**
 * One end of a connection of the message transport: packets of messages in UDP datagrams, each acknowledged by a packet of its own. There is no handshake and no
 * close: both ends are open when the first message is sent, as queue pairs of RDMA are.
 */
import {
  type DatagramBuilder,
  type FlowKey,
  MESSAGE_HEADER_LENGTH,
  MessageHeader,
  type Segment,
  Trimming,
} from "../../../../../base/packets/index.js";
import type { PathChooser } from "../../../../hosts/index.js";
import {
  type Connection,
  ConnectionCounters,
  type ConnectionHost,
  type ConnectionListener,
} from "../../connection.js";
import type { RetransmissionTimeout } from "../../retransmission-timer.js";
import type { TrimOptions } from "../../trimming/trim-options.js";
import type { SentPacket } from "./flight.js";
import type { MessageControl } from "./message-control.js";
import type { MessageOptions } from "./message-options.js";
import { MessageReceiver, type ReceiverEnd } from "./message-receiver.js";
import { MessageSender, NO_TAG, type SenderEnd } from "./message-sender.js";

/** Hop limit of packets whose selector does not stand in it. */
const HOP_LIMIT = 64;

interface MessageConnectionParts {
  readonly host: ConnectionHost;
  readonly index: number;
  readonly chooser: PathChooser;
  readonly builder: DatagramBuilder;
  readonly options: MessageOptions;
  /** Bits per second of the host's link. */
  readonly lineRateBps: number;
  /** Switches may cut its packets. */
  readonly trimming?: TrimOptions;
}

export class MessageConnection implements Connection, SenderEnd, ReceiverEnd {
  readonly index: number;
  readonly chooser: PathChooser;
  readonly options: MessageOptions;
  readonly control: MessageControl;
  readonly counters = new ConnectionCounters();
  listener: ConnectionListener = {};
  isClosed = false;
  readonly #host: ConnectionHost;
  readonly #builder: DatagramBuilder;
  readonly #sender: MessageSender;
  readonly #receiver: MessageReceiver;
  readonly #read = new MessageHeader();
  readonly #written = new MessageHeader();
  /** Code points of data and of answers; undefined: those of the selector. */
  readonly #dataDscp: number | undefined;
  readonly #answerDscp: number | undefined;
  readonly #head = new Uint8Array(MESSAGE_HEADER_LENGTH);
  /** Selector of the last packet from the other end. */
  #echo = 0;

  constructor({ host, index, chooser, builder, options, lineRateBps, trimming }: MessageConnectionParts) {
    this.#host = host;
    this.index = index;
    this.chooser = chooser;
    this.#builder = builder;
    this.options = options;
    if (trimming !== undefined) {
      this.#dataDscp = Trimming.DSCP.trimmable;
      this.#answerDscp = trimming.answersFirst ? Trimming.DSCP.control : 0;
    }
    this.control = options.control({ window: options.window, lineRateBps });
    this.#sender = new MessageSender(this);
    this.#receiver = new MessageReceiver(this, this.#written);
  }

  get flow(): FlowKey {
    return this.#builder.flow;
  }

  get timeout(): RetransmissionTimeout {
    return this.#sender.timeout;
  }

  get progressAt(): number {
    return this.#sender.progressAt;
  }

  get deadline(): number {
    return this.#sender.deadline;
  }

  get soon(): number {
    return this.#sender.soon;
  }

  get bytesAcknowledged(): number {
    return this.#sender.bytesAcknowledged;
  }

  get bytesReceived(): number {
    return this.#receiver.bytesReceived;
  }

  get repaths(): number | undefined {
    return this.chooser.repaths;
  }

  now(): number {
    return this.#host.now();
  }

  /** Adds one message. */
  send(bytes: number): void {
    this.#sender.send(bytes);
  }

  /** The other side sees no end. */
  finish(): void {}

  close(): void {
    this.isClosed = true;
    this.#sender.close();
    this.#host.release(this);
  }

  onTimer(): void {
    this.#sender.onTimer();
  }

  onSoon(): void {
    this.#sender.onSoon();
  }

  wake(): void {
    if (this.deadline !== Number.POSITIVE_INFINITY) this.#host.setTimer(this);
    if (this.soon !== Number.POSITIVE_INFINITY) this.#host.setSoon(this);
  }

  receive(segment: Segment, selector: number): void {
    const header = this.#read;
    const end = segment.payloadAt + segment.payloadLength;
    if (this.isClosed || !header.read(segment.frame, segment.payloadAt, end)) return;
    if (header.kind === "data") {
      this.#echo = selector;
      if (this.#dataDscp !== undefined && segment.headers.dscp === Trimming.DSCP.trimmed)
        this.#receiver.receiveTrimmed(segment, header, selector);
      else this.#receiver.receive(segment, header, selector);
      return;
    }
    const { echo, marked } = header;
    const start = this.#builder.codec.headersOf(echo).ttl ?? HOP_LIMIT;
    this.#sender.receive(
      header,
      marked ? { selector, echo, marked } : { selector, echo },
      Math.max(start - header.hopLimit, 0),
    );
  }

  received(bytes: number): void {
    this.listener.received?.(bytes);
  }

  left(tag: number, at: number): void {
    if (!this.isClosed) this.#sender.left(tag, at);
  }

  transmit(packet: SentPacket, selector: number, tag: number): { bytes: number; leavesAt: number } {
    const header = this.#written;
    header.kind = "data";
    header.marked = false;
    header.last = packet.last;
    header.attempt = packet.attempt + 1;
    header.hopLimit = 0;
    header.sequence = packet.number;
    header.cumulative = 0;
    header.echo = this.#echo;
    header.bitmap.fill(0);
    return this.#send(packet.bytes, selector, tag, this.#dataDscp);
  }

  reply(_header: MessageHeader, selector: number): void {
    this.#send(0, selector, NO_TAG, this.#answerDscp);
  }

  #send(
    payload: number,
    selector: number,
    tag: number,
    dscp: number | undefined,
  ): { bytes: number; leavesAt: number } {
    this.#written.write(this.#head);
    const frame = this.#builder.buildFrom(this.#head, MESSAGE_HEADER_LENGTH + payload, selector, dscp);
    const bytes = frame.length;
    return { bytes, leavesAt: this.#host.transmit(this, frame, selector, tag) };
  }
}
