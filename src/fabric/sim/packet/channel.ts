/**
 * One direction of a link: a bounded first-in-first-out queue in front of a transmitter of fixed rate, then a
 * wire of fixed delay. Departure and arrival times follow from the queue's state at the moment of sending
 * (everything is first in, first out), so a frame needs one event: its arrival.
 */
import { corrupted, type FrameFault } from "./impairment.js";
import { NS_PER_S, type Simulation } from "./simulation.js";
import {
  BOUNDED,
  BUSY_UNTIL,
  BYTES_DELIVERED,
  DELAY,
  DELIVERED,
  LEAST,
  NONE,
  OVERHEAD,
  RATE,
  SENT,
  WATCHED,
  type WireMemory,
} from "./wire-memory.js";
import { HEADERS_ONLY, type WireModel } from "./wire-model.js";

export interface ChannelOptions {
  /** Bits per second; 0 means that the sender has serialised the frame already (a switch with its own queues). */
  readonly rate: number;
  /** Absent: a frame takes its own bytes. */
  readonly wire?: WireModel;
  /** Propagation delay in nanoseconds. */
  readonly delay: number;
  /** Limit of what waits for the transmitter, including the frame being sent; beyond either limit a new frame is dropped. */
  readonly queueBytes: number;
  readonly queuePackets: number;
}

export interface ChannelStats {
  sent: number;
  delivered: number;
  /** With the padding of the wire model. */
  bytesDelivered: number;
  /** Dropped because the queue was full. */
  overflowed: number;
  /** Lost without a signal, because the link or the node at one end had failed, or by an impairment. */
  vanished: number;
  /** Delivered with a flipped bit. */
  corrupted: number;
}

/** Observes the frames of a channel: for captures. The methods must copy what they keep. */
export interface ChannelTap {
  /** The source has sent the frame, and it was not dropped by the full queue. */
  sent?(frame: Uint8Array): void;
  /** The frame has arrived at the target, after all effects of faults. */
  arrived?(frame: Uint8Array): void;
  /** The frame is lost: the queue was full, or by a fault. */
  lost?(frame: Uint8Array, why: "queue" | "fault"): void;
}

export class Channel {
  readonly #simulation: Simulation;
  readonly #memory: WireMemory;
  readonly #arrivalKind: number;
  readonly #bounded: boolean;
  /** Undefined while there is none. */
  #taps: ChannelTap[] | undefined;
  /** For a bounded channel: slots of the frames that are still counted in the queue, oldest first. */
  #first = NONE;
  #last = NONE;
  #queuedPackets = 0;
  #queuedBytes = 0;
  #overflowed = 0;
  #vanished = 0;
  #corrupted = 0;
  /** Times at which the channel stopped and resumed carrying, alternating: stop, start, stop, ... */
  #outages: number[] = [];
  /** In the order in which they began; undefined while there is none. */
  #impairments: FrameFault[] | undefined;
  /** Frames that an impairment delays: a further wire for each sum of delays, in nanoseconds. */
  #delayLines: Map<number, Channel> | undefined;
  #makeLine: ((delay: number) => Channel) | undefined;

  /** @param index the number of channels that the memory had before */
  constructor(
    simulation: Simulation,
    memory: WireMemory,
    readonly index: number,
    readonly options: ChannelOptions,
    readonly source: Node,
    readonly target: Node,
    readonly targetPort: number,
    arrivalKind: number,
  ) {
    const { delay, rate, wire = HEADERS_ONLY, queueBytes, queuePackets } = options;
    this.#simulation = simulation;
    this.#memory = memory;
    this.#arrivalKind = arrivalKind;
    this.#bounded = queuePackets < Number.POSITIVE_INFINITY || queueBytes < Number.POSITIVE_INFINITY;
    memory.addChannel(delay, rate, wire, this.#bounded ? BOUNDED : 0);
  }

  get #now(): number {
    return this.#simulation.now;
  }

  #number(which: number): number {
    return this.#memory.numbers[this.#memory.at(this.index) + which]!;
  }

  get stats(): ChannelStats {
    return {
      sent: this.#number(SENT),
      delivered: this.#number(DELIVERED),
      bytesDelivered: this.#number(BYTES_DELIVERED),
      overflowed: this.#overflowed,
      vanished: this.#vanished,
      corrupted: this.#corrupted,
    };
  }

  /** Bits per second; that of the options until it is set. */
  get rate(): number {
    return this.#number(RATE);
  }

  set rate(rate: number) {
    this.#memory.numbers[this.#memory.at(this.index) + RATE] = rate;
  }

  /** From now on frames that arrive go to {@link meet}. */
  #watch(): void {
    this.#memory.flags[this.index]! |= WATCHED;
  }

  /** Passes the frames to the tap from now on, until the returned function is called. */
  tap(tap: ChannelTap): () => void {
    this.#taps = [...(this.#taps ?? []), tap];
    this.#watch();
    return () => {
      const left = this.#taps?.filter((one) => one !== tap) ?? [];
      this.#taps = left.length === 0 ? undefined : left;
    };
  }

  get failed(): boolean {
    return this.#outages.length % 2 === 1;
  }

  /** Bytes and packets that wait for the transmitter. */
  get backlog(): { bytes: number; packets: number } {
    const { frames, channels, departures } = this.#memory;
    let bytes = 0;
    let packets = 0;
    frames.forEach((frame, slot) => {
      // A frame that has arrived left before.
      if (channels[slot] !== this.index || departures[slot]! <= this.#now) return;
      bytes += frame!.length;
      packets++;
    });
    return { bytes, packets };
  }

  /** From now on the channel loses all frames, including those in flight; the sender gets no signal. */
  fail(): void {
    if (this.failed) return;
    const { sent, delivered } = this.stats;
    // No frame is in flight, so no frame can still be lost by an earlier outage.
    if (sent === this.#overflowed + this.#vanished + delivered) this.#outages.length = 0;
    this.#outages.push(this.#now);
    this.#watch();
    for (const line of this.#delayLines?.values() ?? []) line.fail();
  }

  repair(): void {
    if (!this.failed) return;
    this.#outages.push(this.#now);
    for (const line of this.#delayLines?.values() ?? []) line.repair();
  }

  /**
   * From now on this impairment also affects frames that reach the far end. Several act one after the other, in the order in
   * which they began; `makeLine` makes a channel of rate 0 to the same target, for frames that are delayed.
   */
  impair(impairment: FrameFault, makeLine: (delay: number) => Channel): void {
    this.#impairments = [...(this.#impairments ?? []), impairment];
    this.#makeLine = makeLine;
    this.#watch();
  }

  /** Ends an impairment. Frames that it has delayed still arrive late. */
  unimpair(impairment: FrameFault): void {
    const left = this.#impairments?.filter((one) => one !== impairment) ?? [];
    this.#impairments = left.length === 0 ? undefined : left;
  }

  /** The time at which the last bit of the last frame leaves, or has left; for a channel with a rate. */
  get busyUntil(): number {
    return this.#number(BUSY_UNTIL);
  }

  send(frame: Uint8Array): void {
    const memory = this.#memory;
    const { numbers } = memory;
    const at = memory.at(this.index);
    const now = this.#simulation.now;
    const rate = numbers[at + RATE]!;
    numbers[at + SENT]!++;
    let departure = now;
    if (rate > 0) {
      if (this.#bounded && !this.#hasRoom(frame.length)) {
        this.#overflowed++;
        this.#tellLost(frame, "queue");
        return;
      }
      const bytes = Math.max(frame.length, numbers[at + LEAST]!) + numbers[at + OVERHEAD]!;
      departure = Math.max(numbers[at + BUSY_UNTIL]!, now) + Math.ceil((bytes * 8 * NS_PER_S) / rate);
      numbers[at + BUSY_UNTIL] = departure;
    }
    const slot = memory.put(frame, this.index, departure);
    if (this.#bounded) this.#queue(slot, frame.length);
    if (this.#taps !== undefined) for (const tap of this.#taps) tap.sent?.(frame);
    this.#simulation.schedule(departure + numbers[at + DELAY]!, this.#arrivalKind, slot);
  }

  #hasRoom(bytes: number): boolean {
    const { frames, departures } = this.#memory;
    const { queueBytes, queuePackets } = this.options;
    const now = this.#now;
    while (this.#first !== NONE && departures[this.#first]! <= now)
      this.#leave(this.#first, frames[this.#first]!.length);
    return this.#queuedPackets < queuePackets && this.#queuedBytes + bytes <= queueBytes;
  }

  #queue(slot: number, bytes: number): void {
    if (this.#first === NONE) this.#first = slot;
    else this.#memory.next[this.#last] = slot;
    this.#last = slot;
    this.#queuedPackets++;
    this.#queuedBytes += bytes;
  }

  #leave(slot: number, bytes: number): void {
    this.#first = this.#memory.next[slot]!;
    this.#queuedPackets--;
    this.#queuedBytes -= bytes;
  }

  /** For a bounded channel: the frame is about to arrive, so it has left the queue. */
  leave(slot: number, bytes: number): void {
    if (slot === this.#first) this.#leave(slot, bytes);
  }

  /**
   * A frame has reached the far end of a channel that has, or had, a fault or a tap. Returns it, or undefined when it was
   * lost in flight or is delayed. Does not count a returned frame.
   */
  meet(frame: Uint8Array, departure: number): Uint8Array | undefined {
    if (this.#outages.length > 0 && this.#lost(departure)) {
      this.#vanished++;
      this.#tellLost(frame, "fault");
      return undefined;
    }
    const arrived = this.#impairments === undefined ? frame : this.#meet(this.#impairments, frame);
    if (arrived !== undefined) this.#tell(arrived);
    return arrived;
  }

  #tell(arrived: Uint8Array): void {
    for (const tap of this.#taps ?? []) tap.arrived?.(arrived);
  }

  #tellLost(frame: Uint8Array, why: "queue" | "fault"): void {
    for (const tap of this.#taps ?? []) tap.lost?.(frame, why);
  }

  /** The frame after all impairments; undefined when it was lost, or arrives later by a delay line. */
  #meet(impairments: readonly FrameFault[], frame: Uint8Array): Uint8Array | undefined {
    let result: Uint8Array | undefined = frame;
    let delay = 0;
    for (const impairment of impairments) {
      if (!impairment.concerns(frame)) continue;
      const verdict = impairment.decide();
      if (verdict === "corrupt" && result === frame) {
        result = corrupted(frame);
        this.#corrupted += result === undefined ? 0 : 1;
      }
      if (verdict === "lose" || result === undefined) {
        this.#vanished++;
        this.#tellLost(frame, "fault");
        return undefined;
      }
      delay += impairment.delay;
    }
    if (delay === 0) return result;
    const { numbers } = this.#memory;
    const at = this.#memory.at(this.index);
    numbers[at + DELIVERED]!++;
    numbers[at + BYTES_DELIVERED]! += Math.max(result.length, numbers[at + LEAST]!);
    this.#delayLine(delay).send(result);
    return undefined;
  }

  #delayLine(delay: number): Channel {
    this.#delayLines ??= new Map();
    let line = this.#delayLines.get(delay);
    if (line === undefined) {
      line = this.#makeLine!(delay);
      line.tap({
        arrived: (frame) => this.#tell(frame),
        lost: (frame, why) => this.#tellLost(frame, why),
      });
      this.#delayLines.set(delay, line);
    }
    return line;
  }

  /** Was the channel out at any instant between this departure (the last bit's) and now? */
  #lost(departure: number): boolean {
    if (this.failed) return true;
    for (let i = this.#outages.length - 1; i > 0; i -= 2) {
      if (this.#outages[i]! <= departure) return false;
      if (this.#outages[i - 1]! <= this.#now) return true;
    }
    return false;
  }
}

/** An object with numbered ports at which frames arrive: a switch, a host, or a node of a test. */
export interface Node {
  readonly name: string;
  /** The node keeps frames until the link is free and sends one after the other: its channels need no queue. */
  readonly ownQueues?: boolean;
  /** A frame has arrived in full. It belongs to the node, which may keep it, change it and send it on. */
  receive(port: number, frame: Uint8Array): void;
  /** Called once for each port while the network is built, with the output for frames that leave by that port. */
  attach(port: number, output: Channel): void;
  /** The carrier of a port was lost or came back; only for failures with a signal. */
  portState?(port: number, up: boolean): void;
}
