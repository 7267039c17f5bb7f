/** A waiting packet with its state, and the pool of such packets. */
import type { PacketState } from "../state/packet-state.js";
import type { TraceNode } from "../trace/recorder.js";

export class PacketCopy {
  readonly phv: Int32Array;
  frame: Uint8Array;
  start = 0;
  end = 0;
  packetLength = 0;
  ingressLength = 0;
  limit = 0;
  ownsFrame = false;
  /** In an output queue: time of arrival, depth at arrival, and the earliest time at which it leaves. */
  since = 0;
  depth = 0;
  notBefore = 0;
  port = 0;
  /** Port by which the frame came in that this is, or is a copy of; where buffers are accounted for. */
  ingressPort = 0;
  /** It was cut to its header. */
  isTrimmed = false;
  /** The next packet in the same queue. */
  next: PacketCopy | undefined = undefined;
  /** Its part of a trace, while packets are traced. */
  node: TraceNode | undefined = undefined;

  constructor(words: number, frame: Uint8Array) {
    this.phv = new Int32Array(words);
    this.frame = frame;
  }
}

export class PacketPool {
  readonly #free: PacketCopy[] = [];

  constructor(readonly words: number) {}

  take(frame: Uint8Array): PacketCopy {
    const copy = this.#free.pop();
    if (copy === undefined) return new PacketCopy(this.words, frame);
    copy.frame = frame;
    copy.ownsFrame = false;
    copy.isTrimmed = false;
    copy.node = undefined;
    return copy;
  }

  /** A copy of the current packet. */
  copyOf(state: PacketState): PacketCopy {
    const copy = this.take(state.frame);
    copy.phv.set(state.phv);
    copy.start = state.start;
    copy.end = state.end;
    copy.packetLength = state.packetLength;
    copy.ingressLength = state.ingressLength;
    copy.limit = state.limit;
    copy.ownsFrame = state.ownsFrame;
    return copy;
  }

  release(copy: PacketCopy): void {
    this.#free.push(copy);
  }
}

/** A queue in a ring, which grows with its elements and never moves them otherwise. */
export class Fifo<T> {
  #items: (T | undefined)[] = [undefined, undefined, undefined, undefined];
  #head = 0;
  /** Number of elements; a field, since a queue is asked for it far more often than used. */
  length = 0;

  push(item: T): void {
    if (this.length === this.#items.length) this.#grow();
    this.#items[(this.#head + this.length) & (this.#items.length - 1)] = item;
    this.length++;
  }

  /** Takes the oldest element. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#items.length - 1);
    this.length--;
    return item;
  }

  /** The size of the ring stays a power of two. */
  #grow(): void {
    const items = this.#items;
    this.#items = [...items.slice(this.#head), ...items.slice(0, this.#head), ...items.map(() => undefined)];
    this.#head = 0;
  }
}
