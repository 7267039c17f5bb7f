/**
 * One direction of a link: a bounded first-in-first-out queue in front of a transmitter of fixed rate, then a
 * wire of fixed delay. Departure and arrival times follow from the queue's state at the moment of sending
 * (everything is first in, first out), so a frame costs one event: its arrival.
 */
import { corrupted, type Impairment } from "./impairment.js";
import type { Node } from "./network.js";
import { NS_PER_S, type Simulation } from "./simulation.js";

export interface ChannelOptions {
  /** Bits per second; 0 means that the sender has serialised the frame already (a switch with its own queues). */
  rate: number;
  /** Propagation delay in nanoseconds. */
  delay: number;
  /** What waits for the transmitter, the frame being sent included; beyond either bound the new frame is dropped. */
  queueBytes: number;
  queuePackets: number;
}

export interface ChannelStats {
  sent: number;
  delivered: number;
  bytesDelivered: number;
  /** Dropped because the queue was full. */
  overflowed: number;
  /** Lost without a signal, because the link or the node at one end had failed, or by an impairment. */
  vanished: number;
  /** Delivered with a flipped bit. */
  corrupted: number;
}

/** Sees the frames of a channel: for captures. The methods must copy what they keep. */
export interface ChannelTap {
  /** The source has handed the frame over, and it was not dropped for want of space. */
  sent?(frame: Uint8Array): void;
  /** The frame has arrived at the target, after all that faults did to it. */
  arrived?(frame: Uint8Array): void;
  /** The frame is lost: there was no space in the queue, or a fault took it. */
  lost?(frame: Uint8Array, why: "queue" | "fault"): void;
}

export class Channel {
  readonly stats: ChannelStats = {
    sent: 0,
    delivered: 0,
    bytesDelivered: 0,
    overflowed: 0,
    vanished: 0,
    corrupted: 0,
  };

  /** Frames between {@link send} and arrival, oldest first, in a ring whose length is a power of two. */
  #frames: (Uint8Array | undefined)[] = new Array(16).fill(undefined);
  #departures = new Float64Array(16);
  #head = 0;
  #count = 0;
  /** Of those, how many at the old end have left the queue for the wire. */
  #departed = 0;
  #queuedBytes = 0;
  #busyUntil = 0;
  /** Times at which the channel stopped and started carrying, in turn: stop, start, stop, ... */
  #outages: number[] = [];
  /** In the order in which they began; undefined while there is none, which costs a frame one comparison. */
  #impairments: Impairment[] | undefined;
  /** Where frames wait that an impairment delays: a further wire for each sum of delays, in nanoseconds. */
  #delayLines: Map<number, Channel> | undefined;
  #makeLine: ((delay: number) => Channel) | undefined;
  /** Undefined while there is none. */
  #taps: ChannelTap[] | undefined;

  constructor(
    readonly simulation: Simulation,
    readonly index: number,
    readonly options: ChannelOptions,
    readonly source: Node,
    readonly target: Node,
    readonly targetPort: number,
    readonly arrivalKind: number,
  ) {}

  /** Lets the tap see the frames from now on, until the returned function is called. */
  tap(tap: ChannelTap): () => void {
    this.#taps = [...(this.#taps ?? []), tap];
    return () => {
      const left = this.#taps?.filter((one) => one !== tap) ?? [];
      this.#taps = left.length === 0 ? undefined : left;
    };
  }

  get failed(): boolean {
    return this.#outages.length % 2 === 1;
  }

  /** Bytes and packets that wait for the transmitter now. */
  get backlog(): { bytes: number; packets: number } {
    this.#retireDeparted();
    return { bytes: this.#queuedBytes, packets: this.#count - this.#departed };
  }

  /** From now on the channel loses all frames, also those on the way; the sender gets no signal. */
  fail(): void {
    if (this.failed) return;
    // No frame is on the way, so no frame can still be lost by an earlier outage.
    if (this.#count === 0) this.#outages.length = 0;
    this.#outages.push(this.simulation.now);
    for (const line of this.#delayLines?.values() ?? []) line.fail();
  }

  repair(): void {
    if (!this.failed) return;
    this.#outages.push(this.simulation.now);
    for (const line of this.#delayLines?.values() ?? []) line.repair();
  }

  /**
   * From now on frames that reach the far end meet this impairment too. Several act one after the other, in the order in
   * which they began; `makeLine` makes a channel of rate 0 to the same target, for frames that are delayed.
   */
  impair(impairment: Impairment, makeLine: (delay: number) => Channel): void {
    this.#impairments = [...(this.#impairments ?? []), impairment];
    this.#makeLine = makeLine;
  }

  /** Ends an impairment. Frames that it has delayed still arrive late. */
  unimpair(impairment: Impairment): void {
    const left = this.#impairments?.filter((one) => one !== impairment) ?? [];
    this.#impairments = left.length === 0 ? undefined : left;
  }

  /** When the last bit of the frame that was sent last leaves, or has left; of a channel with a rate. */
  get busyUntil(): number {
    return this.#busyUntil;
  }

  send(frame: Uint8Array): void {
    const now = this.simulation.now;
    const { rate, delay, queueBytes, queuePackets } = this.options;
    this.stats.sent++;
    let departure = now;
    if (rate > 0) {
      if (queuePackets < Number.POSITIVE_INFINITY || queueBytes < Number.POSITIVE_INFINITY) {
        this.#retireDeparted();
        if (this.#count - this.#departed >= queuePackets || this.#queuedBytes + frame.length > queueBytes) {
          this.stats.overflowed++;
          this.#tellLost(frame, "queue");
          return;
        }
      }
      const start = Math.max(this.#busyUntil, now);
      departure = start + Math.ceil((frame.length * 8 * NS_PER_S) / rate);
      this.#busyUntil = departure;
      this.#queuedBytes += frame.length;
    }
    if (this.#count === this.#frames.length) this.#grow();
    const slot = (this.#head + this.#count++) & (this.#frames.length - 1);
    this.#frames[slot] = frame;
    this.#departures[slot] = departure;
    if (this.#taps !== undefined) for (const tap of this.#taps) tap.sent?.(frame);
    this.simulation.schedule(departure + delay, this.arrivalKind, this.index);
  }

  /** The oldest frame has reached the far end: hands it out, or undefined when it was lost on the way or is delayed. */
  arrive(): Uint8Array | undefined {
    const slot = this.#head;
    const frame = this.#frames[slot]!;
    this.#frames[slot] = undefined;
    this.#head = (slot + 1) & (this.#frames.length - 1);
    this.#count--;
    if (this.#departed > 0) this.#departed--;
    // It has left the queue, and no account was made since.
    else if (this.options.rate > 0) this.#queuedBytes -= frame.length;
    if (this.#outages.length > 0 && this.#lost(this.#departures[slot]!)) {
      this.stats.vanished++;
      this.#tellLost(frame, "fault");
      return undefined;
    }
    const arrived = this.#impairments === undefined ? frame : this.#meet(this.#impairments, frame);
    if (arrived === undefined) return undefined;
    this.stats.delivered++;
    this.stats.bytesDelivered += arrived.length;
    if (this.#taps !== undefined) this.#tell(arrived);
    return arrived;
  }

  #tell(arrived: Uint8Array): void {
    for (const tap of this.#taps ?? []) tap.arrived?.(arrived);
  }

  #tellLost(frame: Uint8Array, why: "queue" | "fault"): void {
    for (const tap of this.#taps ?? []) tap.lost?.(frame, why);
  }

  /** The frame after all impairments; undefined when it was lost, or arrives later by a delay line. */
  #meet(impairments: readonly Impairment[], frame: Uint8Array): Uint8Array | undefined {
    let result: Uint8Array | undefined = frame;
    let delay = 0;
    for (const impairment of impairments) {
      if (!impairment.concerns(frame)) continue;
      const verdict = impairment.decide();
      if (verdict === "corrupt" && result === frame) {
        result = corrupted(frame);
        this.stats.corrupted += result === undefined ? 0 : 1;
      }
      if (verdict === "lose" || result === undefined) {
        this.stats.vanished++;
        this.#tellLost(frame, "fault");
        return undefined;
      }
      delay += impairment.delay;
    }
    if (delay === 0) return result;
    this.stats.delivered++;
    this.stats.bytesDelivered += result.length;
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
      if (this.#outages[i - 1]! <= this.simulation.now) return true;
    }
    return false;
  }

  /** Moves frames whose last bit has left from the queue's account to the wire's. */
  #retireDeparted(): void {
    const now = this.simulation.now;
    const mask = this.#frames.length - 1;
    while (this.#departed < this.#count) {
      const slot = (this.#head + this.#departed) & mask;
      if (this.#departures[slot]! > now) break;
      if (this.options.rate > 0) this.#queuedBytes -= this.#frames[slot]!.length;
      this.#departed++;
    }
  }

  #grow(): void {
    const size = this.#frames.length;
    const frames: (Uint8Array | undefined)[] = new Array(2 * size).fill(undefined);
    const departures = new Float64Array(2 * size);
    for (let i = 0; i < this.#count; i++) {
      const slot = (this.#head + i) & (size - 1);
      frames[i] = this.#frames[slot];
      departures[i] = this.#departures[slot]!;
    }
    this.#frames = frames;
    this.#departures = departures;
    this.#head = 0;
  }
}
