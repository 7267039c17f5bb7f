import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeChecksum } from "../../../src/toolchain/interfaces/receive-batch.js";

/** Ones' complement sum of bytes, folded (RFC 1071). */
function sum(bytes: Uint8Array, from: number): number {
  let total = 0;
  for (let i = from; i < bytes.length; i++) total += (i - from) % 2 === 0 ? bytes[i]! << 8 : bytes[i]!;
  while (total > 0xffff) total = (total & 0xffff) + (total >>> 16);
  return total;
}

describe("completeChecksum", () => {
  it("makes the sum of pseudo header and rest come out right", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 90 }),
        fc.nat(10),
        fc.nat(4),
        fc.integer({ min: 1, max: 0xffff }),
        (frame, start, half, pseudo) => {
          const at = start + 2 * half;
          frame[at] = pseudo >>> 8;
          frame[at + 1] = pseudo & 0xff;
          const before = frame.slice();
          completeChecksum(frame, start, 2 * half);
          // All else stays.
          before.set(frame.subarray(at, at + 2), at);
          expect(frame).toEqual(before);
          // Data with its checksum, and the pseudo header beside it, sum up to "all ones".
          const total = sum(frame, start) + pseudo;
          expect((total & 0xffff) + (total >>> 16)).toBe(0xffff);
          expect(frame[at]! | frame[at + 1]!).not.toBe(0);
        },
      ),
    );
  });

  it("leaves a frame alone whose checksum would stand behind its end", () => {
    const frame = Uint8Array.from({ length: 20 }, (_, i) => i);
    completeChecksum(frame, 14, 6);
    completeChecksum(frame, 14, 5);
    expect(frame).toEqual(Uint8Array.from({ length: 20 }, (_, i) => i));
  });
});
