/**
 * Frames that are used again. A host makes a frame, the switches on its way change it in its place, and the host at the other
 * end gives it back: a frame with memory of its own costs more than a hop. No frame is given back that somebody may
 * still use, so one that is lost or copied on its way is left to the garbage collector.
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

/** The frame is read, and nobody uses it any more. */
export function giveFrame(frame: Uint8Array): void {
  const { length } = frame;
  if (length > MAX_LENGTH) return;
  while (kept.length <= length) kept.push([]);
  const frames = kept[length]!;
  if (frames.length < MAX_KEPT) frames.push(frame);
}
