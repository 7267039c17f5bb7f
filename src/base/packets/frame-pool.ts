/**
 * Frames that are reused. A host makes a frame, the switches on its path change it in place, and the host at the other
 * end returns it: allocating a frame costs more than a hop. No frame is returned that may still be
 * in use, so a frame that is lost or copied on its path is left to the garbage collector.
 */

/** Longer frames, and more frames of one length, are not kept. */
const MAX_LENGTH = 4096;
const MAX_KEPT = 4096;
/** Frames are cut from memory of this size: few allocations, and frames of one flow lie together. */
const SLAB_BYTES = 65_536;

const kept: Uint8Array[][] = [];
let slab = new ArrayBuffer(0);
let used = 0;

/** A frame of that length, all zeros. */
export function takeFrame(length: number): Uint8Array {
  const frame = kept[length]?.pop();
  if (frame !== undefined) return frame.fill(0);
  if (length > MAX_LENGTH) return new Uint8Array(length);
  if (used + length > slab.byteLength) {
    slab = new ArrayBuffer(SLAB_BYTES);
    used = 0;
  }
  const cut = new Uint8Array(slab, used, length);
  used = (used + length + 7) & ~7;
  return cut;
}

/** The frame has been read, and is not used any more. */
export function giveFrame(frame: Uint8Array): void {
  const { length } = frame;
  if (length > MAX_LENGTH) return;
  while (kept.length <= length) kept.push([]);
  const frames = kept[length]!;
  if (frames.length < MAX_KEPT) frames.push(frame);
}
