/**
 * A router of the validation networks: first-in-first-out queue towards the next router, with drop-tail or a marking threshold,
 * random losses behind it, and an account of the queue's length over time.
 */
import { addWords, finishChecksum, type Random } from "../../../src/base/index.js";
import { type Channel, type Node, NS_PER_S, type Simulation } from "../../../src/sim/packet/index.js";

const IPV4_AT = 14;
const CE = 3;
/** Frames of acknowledgements are shorter: only data are lost at random. */
const DATA_FRAME = 128;

export interface QueueOptions {
  /** Bits a second. */
  rate: number;
  /** Packets, the one that is being sent included. */
  packets: number;
  /** Packets that find so many before them are marked (CE), if they say that they can be. */
  mark?: number;
  /** Share of data packets that are lost behind the queue. */
  loss?: number;
  /** One of so many data packets is lost behind the queue, at equal distances. */
  lossEvery?: number;
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
  readonly #queue: Uint8Array[] = [];
  readonly #sentKind: number;
  #area = 0;
  #since = 0;
  #from = 0;
  #smallest = 0;
  #largest = 0;
  #drops = 0;
  #marked = 0;
  #passed = 0;

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
    this.#sentKind = simulation.register(() => this.#sent());
  }

  /** Packets in the queue. */
  get length(): number {
    return this.#queue.length;
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
    this.#smallest = this.#largest = this.#queue.length;
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
    const { packets, mark = Number.POSITIVE_INFINITY } = this.#options;
    const length = this.#queue.length;
    if (length >= packets) {
      this.#drops++;
      return;
    }
    if (length >= mark && (frame[IPV4_AT + 1]! & CE) !== 0) {
      this.#marked++;
      markFrame(frame);
    }
    this.#count();
    this.#queue.push(frame);
    if (length + 1 > this.#largest) this.#largest = length + 1;
    if (length === 0) this.#startSending(frame);
  }

  #startSending(frame: Uint8Array): void {
    const duration = Math.ceil((frame.length * 8 * NS_PER_S) / this.#options.rate);
    this.#simulation.schedule(this.#simulation.now + duration, this.#sentKind, 0);
  }

  #sent(): void {
    this.#count();
    const frame = this.#queue.shift()!;
    if (this.#queue.length < this.#smallest) this.#smallest = this.#queue.length;
    if (frame.length < DATA_FRAME || !this.#loses()) this.#outputs[this.nextPort]!.send(frame);
    const next = this.#queue[0];
    if (next !== undefined) this.#startSending(next);
  }

  #loses(): boolean {
    const { loss = 0, lossEvery = 0 } = this.#options;
    if (lossEvery > 0 && ++this.#passed % lossEvery === 0) return true;
    return loss > 0 && this.#random.float() < loss;
  }

  #count(): void {
    const { now } = this.#simulation;
    this.#area += this.#queue.length * (now - this.#since);
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
