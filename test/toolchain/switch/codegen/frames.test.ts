import fc from "fast-check";
import { expect, it } from "vitest";
import { newFrame } from "../../../../src/toolchain/switch/codegen/frames.js";

it("cuts frames from memory that they share", () => {
  const frames = Array.from({ length: 20 }, () => newFrame(100));
  expect(new Set(frames.map(({ buffer }) => buffer)).size).toBeLessThanOrEqual(2);
});

it("cuts frames that share no byte, and keep at most 128 times their length", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 400 }), (sizes) => {
      const frames = sizes.map((size, i) => {
        const frame = newFrame(size);
        expect(frame.length).toBe(size);
        expect(frame.every((byte) => byte === 0)).toBe(true);
        if (size > 64) expect(frame.buffer.byteLength).toBeLessThanOrEqual(128 * size);
        return frame.fill(1 + (i % 255));
      });
      for (const [i, frame] of frames.entries())
        if (!frame.every((byte) => byte === 1 + (i % 255))) expect.fail(`frame ${i} was written over`);
    }),
    { numRuns: 20 },
  );
});
