/**
 * Frames that leave. V8 keeps byte arrays of up to 64 bytes with other objects; a longer one of its own costs more than
 * all the rest of forwarding, so that these are cut from slabs that live as long as a frame of theirs does.
 */
const SLAB_BYTES = 65_536;
const IN_PLACE_BYTES = 64;
/** Longer frames have memory of their own: few would fit in a slab. */
const MAX_CUT_BYTES = 4096;

let slab: ArrayBuffer | undefined;
let used = 0;

/** Zeros, of the exact length, at memory of their own; the `buffer` of several frames may be one. */
export function newFrame(size: number): Uint8Array {
  if (size <= IN_PLACE_BYTES || size > MAX_CUT_BYTES) return new Uint8Array(size);
  if (slab === undefined || used + size > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    used = 0;
  }
  const frame = new Uint8Array(slab, used, size);
  used = (used + size + 7) & ~7;
  return frame;
}
