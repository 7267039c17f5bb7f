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

/** A queue that does not move its elements: removed elements are cleared from time to time. */
export class Fifo<T> {
  #items: T[] = [];
  #head = 0;
  /** Number of elements; a field, since a queue is asked for it far more often than used. */
  length = 0;

  push(item: T): void {
    this.length++;
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    this.length--;
    const item = this.#items[this.#head++];
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head > 64 && 2 * this.#head > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
