/** Completes what a sender on this machine left to the hardware that a virtual wire does not have. */

/**
 * Writes the checksum of a frame whose sender computed only that of the pseudo header (virtio 1.2, section 5.1.6.2:
 * the field at `start + offset` holds it; the checksum runs from `start` to the end).
 */
export function completeChecksum(frame: Uint8Array, start: number, offset: number): void {
  const at = start + offset;
  if (at + 2 > frame.length) return;
  let sum = 0;
  const even = frame.length - ((frame.length - start) & 1);
  for (let i = start; i < even; i += 2) sum += (frame[i]! << 8) | frame[i + 1]!;
  if (even < frame.length) sum += frame[even]! << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  // 0 would mean "no checksum" in UDP, and its complement is the same number.
  const checksum = ~sum & 0xffff || 0xffff;
  frame[at] = checksum >>> 8;
  frame[at + 1] = checksum & 0xff;
}
