/** Frames that are reused: they are zeros again, and no two of them share memory. */
import { expect, it } from "vitest";
import { giveFrame, takeFrame } from "../../../../src/base/packets/index.js";

it("gives frames of any length, all zeros, that share no memory", () => {
  for (const length of [1, 7, 64, 1500, 4096, 4097, 9000, 70_000]) {
    // More than are kept, and more than a slab has room for.
    const count = length === 64 ? 5000 : 60;
    for (let round = 0; round < 2; round++) {
      const frames = Array.from({ length: count }, () => takeFrame(length));
      expect(frames.every((frame) => frame.length === length && frame.every((byte) => byte === 0))).toBe(
        true,
      );
      for (const [i, frame] of frames.entries()) frame.fill(i + 1);
      expect(frames.every((frame, i) => frame.every((byte) => byte === ((i + 1) & 255)))).toBe(true);
      for (const frame of frames) giveFrame(frame);
    }
  }
});
