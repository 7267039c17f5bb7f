/**
 * Memory of the frames in flight in a network, in few arrays: eight numbers of each channel, and each frame between its
 * sending and its arrival. A large network exceeds the processor's cache, so that the time of a hop depends on the number of
 * cache lines that it reads. The numbers of a channel are in one line; the slots of frames are reused at once, so that their
 * arrays stay as small as the number of frames in flight.
 */
import type { WireModel } from "./wire-model.js";

/** Numbers of a channel; the meaning of the first six is that of `ChannelOptions` and `ChannelStats`. */
export const DELAY = 0;
export const RATE = 1;
export const SENT = 2;
export const DELIVERED = 3;
export const BYTES_DELIVERED = 4;
/** Time at which the last bit of the last frame leaves. */
export const BUSY_UNTIL = 5;
/** Of the wire model: the length to which a frame is padded, and the bytes around it. */
export const LEAST = 6;
export const OVERHEAD = 7;
const NUMBERS = 8;

/** The channel's queue is bounded: sender and receiver count what waits. */
export const BOUNDED = 1;
/** The channel has a fault or a tap, now or earlier: the channel itself handles an arriving frame. */
export const WATCHED = 2;

/** No slot. */
export const NONE = -1;

export class WireMemory {
  /** {@link at} says where those of a channel begin. */
  numbers: Float64Array = new Float64Array(NUMBERS * 16);
  /** {@link BOUNDED} and {@link WATCHED}, by channel. */
  flags: Uint8Array = new Uint8Array(16);
  #channels = 0;

  /** By slot: the frame, its channel, the time at which its last bit leaves, and the next slot of a list. */
  readonly frames: (Uint8Array | undefined)[] = new Array<Uint8Array | undefined>(64).fill(undefined);
  channels: Int32Array = new Int32Array(64);
  departures: Float64Array = new Float64Array(64);
  next: Int32Array = new Int32Array(64);
  #free = NONE;

  constructor() {
    this.#chain(0);
  }

  /** Makes room for a channel whose index is the number of those before it. */
  addChannel(delay: number, rate: number, wire: WireModel, flags: number): void {
    const index = this.#channels++;
    if (index === this.flags.length) {
      const numbers = new Float64Array(2 * this.numbers.length);
      numbers.set(this.numbers);
      this.numbers = numbers;
      const all = new Uint8Array(2 * index);
      all.set(this.flags);
      this.flags = all;
    }
    const at = this.at(index);
    this.numbers[at + DELAY] = delay;
    this.numbers[at + RATE] = rate;
    this.numbers[at + LEAST] = wire.leastBytes;
    this.numbers[at + OVERHEAD] = wire.overheadBytes;
    this.flags[index] = flags;
  }

  at(channel: number): number {
    return NUMBERS * channel;
  }

  /** Adds a frame in flight; returns its slot. */
  put(frame: Uint8Array, channel: number, departure: number): number {
    if (this.#free === NONE) this.#grow();
    const slot = this.#free;
    this.#free = this.next[slot]!;
    this.frames[slot] = frame;
    this.channels[slot] = channel;
    this.departures[slot] = departure;
    this.next[slot] = NONE;
    return slot;
  }

  /** Removes a frame; the next {@link put} reuses its slot. */
  take(slot: number): Uint8Array {
    const frame = this.frames[slot]!;
    this.frames[slot] = undefined;
    this.next[slot] = this.#free;
    this.#free = slot;
    return frame;
  }

  #chain(from: number): void {
    const { next } = this;
    for (let slot = from; slot < next.length; slot++) next[slot] = slot + 1 < next.length ? slot + 1 : NONE;
    this.#free = from;
  }

  #grow(): void {
    const size = this.next.length;
    const channels = new Int32Array(2 * size);
    channels.set(this.channels);
    this.channels = channels;
    const departures = new Float64Array(2 * size);
    departures.set(this.departures);
    this.departures = departures;
    const next = new Int32Array(2 * size);
    next.set(this.next);
    this.next = next;
    for (let slot = size; slot < 2 * size; slot++) this.frames.push(undefined);
    this.#chain(size);
  }
}
