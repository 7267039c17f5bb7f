/**
 * A router of the validation networks: first-in-first-out queue towards the next router, with drop-tail or a marking threshold,
 * random losses behind it, and an account of the queue's length over time.
 */
import type { Random } from "../../../../src/base/index.js";
import { addWords, finishChecksum } from "../../../../src/base/packets/index.js";
import {
  type Channel,
  type Node,
  NS_PER_S,
  type Simulation,
} from "../../../../src/fabric/sim/packet/index.js";

const IPV4_AT = 14;
const CE = 3;
const SEQUENCE_AT = IPV4_AT + 20 + 4;
/** Frames of acknowledgements are shorter: only data are lost at random. */
const DATA_FRAME = 128;

export interface QueueOptions {
  /** Bits a second. */
  rate: number;
  /** Packets, the one that is being sent included. */
  packets: number;
  /** ECN-capable packets that meet a queue of this number of packets are marked (CE). */
  mark?: number;
  /** Share of data packets that are lost behind the queue. */
  loss?: number;
  /** One of this number of data packets is lost after the queue, at equal distances. */
  lossEvery?: number;
  /** Segments of {@link segmentBytes} that are lost behind the queue when they are sent first, from 0, of the one flow of the network. */
  lostSegments?: readonly number[];
  segmentBytes?: number;
  /** A queue for each destination, served in turn (J. Nagle, RFC 970), instead of one; `packets` and `mark` are of each. */
  fair?: boolean;
}

/** Length in packets while it was measured, the packet that is being sent included. */
export interface QueueAccount {
  mean: number;
  smallest: number;
  largest: number;
  drops: number;
  marked: number;
}

/** Where a router's frames to an IPv4 address go. */
export interface Route {
  port: number;
  /** Destination MAC of the next node. */
  mac: Uint8Array;
}

export class Router implements Node {
  readonly #simulation: Simulation;
  readonly #outputs: Channel[] = [];
  /** By the last two bytes of the address. */
  readonly routes = new Map<number, Route>();
  readonly #options: QueueOptions;
  readonly #random: Random;
  /** Queues by destination, 0 where there is one queue; those that are not empty in the order in which they are served. */
  readonly #queues = new Map<number, Uint8Array[]>();
  readonly #busy: Uint8Array[][] = [];
  #length = 0;
  readonly #sentKind: number;
  #area = 0;
  #since = 0;
  #from = 0;
  #smallest = 0;
  #largest = 0;
  #drops = 0;
  #marked = 0;
  #passed = 0;
  readonly #toLose: Set<number>;
  /** Sequence number of the first data; -1 before it has come. */
  #firstSequence = -1;

  constructor(
    simulation: Simulation,
    readonly name: string,
    /** The port towards the next router, which has the queue. */
    readonly nextPort: number,
    options: QueueOptions,
    random: Random,
  ) {
    this.#simulation = simulation;
    this.#options = options;
    this.#random = random;
    this.#toLose = new Set(options.lostSegments);
    this.#sentKind = simulation.register(() => this.#sent());
  }

  /** Packets in the queue. */
  get length(): number {
    return this.#length;
  }

  attach(port: number, output: Channel): void {
    this.#outputs[port] = output;
  }

  receive(_port: number, frame: Uint8Array): void {
    const route = this.routes.get(frame[IPV4_AT + 18]! * 256 + frame[IPV4_AT + 19]!);
    if (route === undefined) throw new Error(`${this.name} has no route`);
    frame.set(route.mac, 0);
    if (route.port === this.nextPort) this.#enqueue(frame);
    else this.#outputs[route.port]!.send(frame);
  }

  /** Begins to measure. */
  measure(): void {
    this.#from = this.#since = this.#simulation.now;
    this.#area = this.#drops = this.#marked = 0;
    this.#smallest = this.#largest = this.#length;
  }

  account(): QueueAccount {
    this.#count();
    const time = this.#simulation.now - this.#from;
    return {
      mean: time > 0 ? this.#area / time : 0,
      smallest: this.#smallest,
      largest: this.#largest,
      drops: this.#drops,
      marked: this.#marked,
    };
  }

  #enqueue(frame: Uint8Array): void {
    const { packets, mark = Number.POSITIVE_INFINITY, fair = false } = this.#options;
    const key = fair ? frame[IPV4_AT + 18]! * 256 + frame[IPV4_AT + 19]! : 0;
    let queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, (queue = []));
    const { length } = queue;
    if (length >= packets) {
      this.#drops++;
      return;
    }
    if (length >= mark && (frame[IPV4_AT + 1]! & CE) !== 0) {
      this.#marked++;
      markFrame(frame);
    }
    this.#count();
    queue.push(frame);
    if (length === 0) this.#busy.push(queue);
    this.#length++;
    if (this.#length > this.#largest) this.#largest = this.#length;
    if (this.#length === 1) this.#startSending(frame);
  }

  #startSending(frame: Uint8Array): void {
    const duration = Math.ceil((frame.length * 8 * NS_PER_S) / this.#options.rate);
    this.#simulation.schedule(this.#simulation.now + duration, this.#sentKind, 0);
  }

  #sent(): void {
    this.#count();
    const queue = this.#busy.shift()!;
    const frame = queue.shift()!;
    if (queue.length > 0) this.#busy.push(queue);
    this.#length--;
    if (this.#length < this.#smallest) this.#smallest = this.#length;
    if (frame.length < DATA_FRAME || !this.#loses(frame)) this.#outputs[this.nextPort]!.send(frame);
    const next = this.#busy[0]?.[0];
    if (next !== undefined) this.#startSending(next);
  }

  #loses(frame: Uint8Array): boolean {
    const { loss = 0, lossEvery = 0 } = this.#options;
    if (this.#toLose.size > 0 && this.#toLose.delete(this.#segmentOf(frame))) return true;
    if (lossEvery > 0 && ++this.#passed % lossEvery === 0) return true;
    return loss > 0 && this.#random.float() < loss;
  }

  #segmentOf(frame: Uint8Array): number {
    const sequence = new DataView(frame.buffer, frame.byteOffset).getUint32(SEQUENCE_AT);
    if (this.#firstSequence < 0) this.#firstSequence = sequence;
    return ((sequence - this.#firstSequence) >>> 0) / this.#options.segmentBytes!;
  }

  #count(): void {
    const { now } = this.#simulation;
    this.#area += this.#length * (now - this.#since);
    this.#since = now;
  }
}

function markFrame(frame: Uint8Array): void {
  frame[IPV4_AT + 1]! |= CE;
  frame[IPV4_AT + 10] = frame[IPV4_AT + 11] = 0;
  const sum = finishChecksum(addWords(frame, IPV4_AT, IPV4_AT + 20, 0));
  frame[IPV4_AT + 10] = sum >>> 8;
  frame[IPV4_AT + 11] = sum & 0xff;
}
