/**
 * Frames that leave. V8 keeps byte arrays of up to 64 bytes with other objects. A longer array with memory of its own
 * costs more than all the rest of forwarding, so these are cut from slabs. A slab lives as long as any frame cut from it,
 * so short frames have small slabs: a frame that is kept for long keeps at most 128 times its own length.
 */
const IN_PLACE_BYTES = 64;
/** Longer frames have memory of their own: few would fit in a slab. */
const MAX_CUT_BYTES = 4096;
const SHORT_BYTES = 512;

/** Cuts frames from one slab after the other. */
class Cutter {
  #slab: ArrayBuffer;
  #used = 0;

  constructor(readonly slabBytes: number) {
    this.#slab = new ArrayBuffer(slabBytes);
  }

  cut(size: number): Uint8Array {
    if (this.#used + size > this.slabBytes) {
      this.#slab = new ArrayBuffer(this.slabBytes);
      this.#used = 0;
    }
    const frame = new Uint8Array(this.#slab, this.#used, size);
    this.#used = (this.#used + size + 7) & ~7;
    return frame;
  }
}

const short = new Cutter(8192);
const long = new Cutter(65_536);

/** Zeros, of the exact length, at memory of their own; the `buffer` of several frames may be one. */
export function newFrame(size: number): Uint8Array {
  if (size <= IN_PLACE_BYTES || size > MAX_CUT_BYTES) return new Uint8Array(size);
  return size <= SHORT_BYTES ? short.cut(size) : long.cut(size);
}

/** As {@link newFrame}, with the bytes of another frame. A short array is made from another one three times as fast as its bytes are copied in a loop. */
export function copyFrame(frame: Uint8Array): Uint8Array {
  if (frame.length <= IN_PLACE_BYTES) return new Uint8Array(frame);
  const copy = newFrame(frame.length);
  copy.set(frame);
  return copy;
}

/** Up to this length a loop is faster than a view for `set`. */
const LOOP_BYTES = 64;

/** Copies `length` bytes of a frame, from `start` on, into another one at `at`. */
export function copyBytes(to: Uint8Array, at: number, from: Uint8Array, start: number, length: number): void {
  if (length <= LOOP_BYTES) for (let i = 0; i < length; i++) to[at + i] = from[start + i]!;
  else to.set(start === 0 && length === from.length ? from : from.subarray(start, start + length), at);
}
