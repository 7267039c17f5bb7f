/** Completes checksums that a sender on this machine left to hardware, which a virtual wire does not have. */
import { addWords, finishChecksum } from "../base/index.js";

/**
 * Completes the checksum of a frame whose sender computed only that of the pseudo header (virtio 1.2, section 5.1.6.2:
 * the field at `start + offset` holds it; the checksum runs from `start` to the end).
 */
export function completeChecksum(frame: Uint8Array, start: number, offset: number): void {
  const at = start + offset;
  if (at + 2 > frame.length) return;
  // 0 would mean "no checksum" in UDP, and its complement is the same number.
  const checksum = finishChecksum(addWords(frame, start, frame.length, 0)) || 0xffff;
  frame[at] = checksum >>> 8;
  frame[at + 1] = checksum & 0xff;
}
