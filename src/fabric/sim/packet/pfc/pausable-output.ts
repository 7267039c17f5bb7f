/**
 * The output of a NIC that can be paused: frames wait here, and not in the channel, which fixes their departures when it gets them. One frame at
 * a time goes to the channel.
 */
import { MacControl } from "../../../../base/packets/index.js";
import { Fifo } from "../../../../toolchain/switch/index.js";
import { NS_PER_S, type Simulation } from "../simulation.js";
import { type WireModel, wireBytes } from "../wire-model.js";
import { PauseClock } from "./pause-clock.js";
import { type PfcOptions, PRIORITY, pauseNs } from "./pfc-options.js";

/** An end of a connection that wants to know when its frames leave. */
export interface Leaving {
  /** The frame that was sent with this tag begins to leave; its last bit leaves at that time. Without it the end does not want to know. */
  left?(tag: number, at: number): void;
}

/** What is behind the queue: a wire that sends frames one after the other. */
export interface WireOutput {
  send(frame: Uint8Array): void;
  /** When the last bit of the frame that was sent last leaves. */
  readonly busyUntil: number;
  /** Bits per second. */
  readonly rate: number;
}

/** Of each output of a host. */
export interface PausableOptions {
  readonly pfc: PfcOptions;
  readonly wire: WireModel;
  /** What may wait; the frame on the wire does not count. */
  readonly queueBytes: number;
  readonly queuePackets: number;
}

interface Waiting {
  readonly frame: Uint8Array;
  readonly sender: Leaving | undefined;
  readonly tag: number;
}

export class PausableOutput {
  readonly #simulation: Simulation;
  readonly #output: WireOutput;
  readonly #options: PausableOptions;
  readonly #clock = new PauseClock();
  readonly #waiting = new Fifo<Waiting>();
  #bytes = 0;
  /** The same with what a wire adds. */
  #wireBytes = 0;
  /** When the queue is looked at next; Infinity: not at all. */
  #wakeAt = Number.POSITIVE_INFINITY;
  /** Frames that found the queue full. */
  overflowed = 0;

  constructor(simulation: Simulation, output: WireOutput, options: PausableOptions) {
    this.#simulation = simulation;
    this.#output = output;
    this.#options = options;
  }

  get rate(): number {
    return this.#output.rate;
  }

  /** When the last bit of what waits leaves, if there is no pause. */
  get busyUntil(): number {
    const free = Math.max(this.#output.busyUntil, this.#simulation.now);
    return free + Math.ceil((8 * NS_PER_S * this.#wireBytes) / this.rate);
  }

  /** Frames that wait. */
  get length(): number {
    return this.#waiting.length;
  }

  send(frame: Uint8Array): void {
    this.offer(frame, undefined, -1);
  }

  /**
   * Sends a frame, now or later. Returns when its last bit leaves; Infinity where it waits and `sender` will be told; the present time where the
   * queue is full, and the frame is lost.
   */
  offer(frame: Uint8Array, sender: Leaving | undefined, tag: number): number {
    const { now } = this.#simulation;
    if (this.length === 0 && this.#output.busyUntil <= now && !this.#clock.isPaused(now)) {
      this.#output.send(frame);
      return this.#output.busyUntil;
    }
    const { queueBytes, queuePackets, wire } = this.#options;
    if (this.length >= queuePackets || this.#bytes + frame.length > queueBytes) {
      this.overflowed++;
      return now;
    }
    this.#waiting.push({ frame, sender, tag });
    this.#bytes += frame.length;
    this.#wireBytes += wireBytes(wire, frame.length);
    this.#sleep();
    return sender?.left === undefined ? this.busyUntil : Number.POSITIVE_INFINITY;
  }

  /** A frame has come in by the NIC; true: it was one of flow control, and is obeyed. */
  takes(frame: Uint8Array): boolean {
    if (!MacControl.check(frame)) return false;
    const quanta = MacControl.quanta(frame, PRIORITY);
    if (quanta === undefined) return true;
    const { reaction } = this.#options.pfc;
    if (reaction === 0) this.#obey(quanta);
    else this.#simulation.at(this.#simulation.now + reaction, () => this.#obey(quanta));
    return true;
  }

  #obey(quanta: number): void {
    const { now } = this.#simulation;
    if (quanta === 0) this.resume();
    else this.#clock.pause(now, now + pauseNs(quanta, this.rate));
  }

  /** Ends a pause, also where the link has lost its carrier. */
  resume(): void {
    this.#clock.resume(this.#simulation.now);
    this.#serve();
  }

  get pausedNs(): number {
    return this.#clock.total(this.#simulation.now);
  }

  get isPaused(): boolean {
    return this.#clock.isPaused(this.#simulation.now);
  }

  #sleep(): void {
    const { now } = this.#simulation;
    const until = this.#clock.isPaused(now) ? this.#clock.until : now;
    const at = Math.ceil(Math.max(this.#output.busyUntil, until, now));
    if (this.#wakeAt <= at) return;
    this.#wakeAt = at;
    this.#simulation.at(at, () => {
      if (this.#wakeAt !== at) return;
      this.#wakeAt = Number.POSITIVE_INFINITY;
      this.#serve();
    });
  }

  #serve(): void {
    const { now } = this.#simulation;
    if (this.length === 0) return;
    if (this.#output.busyUntil <= now && !this.#clock.isPaused(now)) {
      const { frame, sender, tag } = this.#waiting.shift()!;
      this.#bytes -= frame.length;
      this.#wireBytes -= wireBytes(this.#options.wire, frame.length);
      this.#output.send(frame);
      const at = this.#output.busyUntil;
      if (this.length > 0) this.#sleep();
      sender?.left?.(tag, at);
      return;
    }
    this.#sleep();
  }
}
