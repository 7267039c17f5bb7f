/** Frames that leave: exact, zeroed, and none on another's bytes. */
import { expect, it } from "vitest";
import { newFrame } from "../../../src/switch/codegen/frames.js";

it("gives every frame bytes of its own", () => {
  const sizes = Array.from({ length: 2000 }, (_, i) => (i * 37) % 5000);
  const frames = sizes.map((size) => newFrame(size));
  frames.forEach((frame, i) => {
    expect(frame.length).toBe(sizes[i]);
    expect(frame.every((byte) => byte === 0)).toBe(true);
    frame.fill((i % 255) + 1);
  });
  frames.forEach((frame, i) => {
    expect(frame.every((byte) => byte === (i % 255) + 1)).toBe(true);
  });
});
