/** A timer of microseconds in Node's event loop. Needs Linux and koffi, no permission. */
import { describe, expect, it, onTestFinished } from "vitest";
import { FineTimer } from "../../../src/toolchain/interfaces/index.js";
import { missing } from "../../../src/toolchain/interfaces/libc.js";

const reason = missing()?.reason;

describe.skipIf(reason !== undefined)(reason === undefined ? "FineTimer" : `FineTimer (${reason})`, () => {
  function make() {
    let ring = (): void => {};
    let rings = 0;
    const timer = FineTimer.make(() => {
      rings++;
      ring();
    })!;
    onTestFinished(() => timer.close());
    const rung = () =>
      new Promise<void>((resolve) => {
        ring = resolve;
      });
    return { timer, rung, rings: () => rings };
  }

  it("rings once for each time that is set, never early", async () => {
    const { timer, rung, rings } = make();
    for (const microseconds of [0, 0.2, 30, 250, 1500, 4000]) {
      const begin = performance.now();
      const next = rung();
      timer.set(microseconds);
      await next;
      expect(1000 * (performance.now() - begin)).toBeGreaterThanOrEqual(microseconds);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(rings()).toBe(6);
  });

  it("rings more than once in a millisecond", async () => {
    const { timer, rung } = make();
    let fewest = Number.POSITIVE_INFINITY;
    // The best of many tries, so that a busy machine does not matter.
    for (let i = 0; i < 200; i++) {
      const begin = performance.now();
      for (let k = 0; k < 3; k++) {
        const next = rung();
        timer.set(50);
        await next;
      }
      fewest = Math.min(fewest, performance.now() - begin);
    }
    expect(fewest).toBeLessThan(3);
  });

  it("can be put off and closed", async () => {
    const { timer, rings } = make();
    timer.set(500);
    timer.set(1_000_000_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(rings()).toBe(0);
    timer.set(1);
    // It has rung in the kernel by the time it is put off.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    timer.set(1_000_000_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(rings()).toBe(0);
    timer.set(1);
    timer.close();
    timer.set(1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(rings()).toBe(0);
  });
});
