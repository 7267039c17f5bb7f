import type { DatagramBuilder, Segment } from "../../../../base/packets/index.js";
import { get32 } from "../../../../base/packets/index.js";
import { type PathChooser, ReceiveWindow } from "../../../hosts/index.js";
import type { Timed } from "../connection.js";

/** Least payload: the number. */
export const NUMBER_BYTES = 4;
const LAST = 0x80000000;

export interface UdpOptions {
  /** Payload bytes of a full datagram, at least 4. */
  readonly segmentBytes: number;
  /** Payload bits per second. */
  readonly rateBps: number;
  /** Total payload; a last datagram of fewer than 4 bytes is sent with 4. Infinity: until it is closed. */
  readonly bytes: number;
}

export interface UdpListener {
  /** The last datagram has left. */
  finished?(): void;
}

/** Operations of the host that a sender uses. */
export interface UdpHost {
  now(): number;
  send(sender: UdpSender, frame: Uint8Array, selector: number): void;
  setTimer(timed: Timed): void;
  releaseSender(sender: UdpSender): void;
}

export class UdpSender implements Timed {
  readonly soon = Number.POSITIVE_INFINITY;
  listener: UdpListener = {};
  deadline: number;
  datagramsSent = 0;
  bytesSent = 0;
  /** When the next datagram is due, not rounded to whole nanoseconds. */
  #due: number;

  constructor(
    readonly host: UdpHost,
    readonly index: number,
    readonly chooser: PathChooser,
    readonly builder: DatagramBuilder,
    readonly options: UdpOptions,
  ) {
    this.#due = host.now();
    this.deadline = this.#due;
  }

  get flow() {
    return this.builder.flow;
  }

  onTimer(): void {
    const { segmentBytes, rateBps, bytes } = this.options;
    if (this.deadline === Number.POSITIVE_INFINITY) return;
    if (this.host.now() < this.deadline) {
      this.host.setTimer(this);
      return;
    }
    const payload = Math.max(Math.min(segmentBytes, bytes - this.bytesSent), NUMBER_BYTES);
    const isLast = this.bytesSent + payload >= bytes;
    const { chooser } = this;
    const selector =
      chooser.selectorFor === undefined
        ? chooser.selector
        : chooser.selectorFor({ position: this.bytesSent, bytes: payload, nowNs: this.host.now() });
    const number = (this.datagramsSent % LAST) + (isLast ? LAST : 0);
    this.datagramsSent++;
    this.bytesSent += payload;
    this.#due += (payload * 8e9) / rateBps;
    this.deadline = isLast ? Number.POSITIVE_INFINITY : Math.ceil(this.#due);
    this.host.send(this, this.builder.build(number, payload, selector), selector);
    if (!isLast) {
      this.host.setTimer(this);
      return;
    }
    this.close();
    this.listener.finished?.();
  }

  onSoon(): void {}

  /** Stops sending. */
  close(): void {
    this.deadline = Number.POSITIVE_INFINITY;
    this.host.releaseSender(this);
  }
}

/** The receiver's view of one flow. */
export class UdpReceiver {
  readonly #arrived = new ReceiveWindow();
  readonly #release: (receiver: UdpReceiver) => void;
  #highest = -1;
  #last = -1;
  /** Called with each datagram that is new. */
  onReceived: (() => void) | undefined;
  /** Number of datagrams without duplicates. */
  datagrams = 0;
  bytes = 0;
  duplicates = 0;
  /** Number of datagrams that arrived after one with a higher number; and the greatest distance in datagrams. */
  reordered = 0;
  maxReordering = 0;
  /** Number of datagrams that arrived marked (CE). */
  marked = 0;

  constructor(
    readonly port: number,
    readonly peerPort: number,
    readonly peer: Uint8Array,
    release: (receiver: UdpReceiver) => void,
  ) {
    this.#release = release;
  }

  /** Number of datagrams with lower numbers than the highest that arrived, or than the last of the flow, which have not arrived. */
  get missing(): number {
    return Math.max(this.#highest, this.#last) + 1 - this.datagrams;
  }

  /** Whether all datagrams of the flow have arrived. */
  get isComplete(): boolean {
    return this.#last >= 0 && this.missing === 0;
  }

  receive(segment: Segment): void {
    if (segment.payloadLength < NUMBER_BYTES) return;
    const word = get32(segment.frame, segment.payloadAt);
    const number = word % LAST;
    if (word >= LAST) this.#last = number;
    if (!this.#arrived.add(number, number + 1)) {
      this.duplicates++;
      return;
    }
    if (segment.marked) this.marked++;
    this.datagrams++;
    this.bytes += segment.payloadLength;
    if (number < this.#highest) {
      this.reordered++;
      this.maxReordering = Math.max(this.maxReordering, this.#highest - number);
    } else this.#highest = number;
    this.onReceived?.();
  }

  /** The host removes the flow; later datagrams count for a new one. */
  close(): void {
    this.#release(this);
  }
}
