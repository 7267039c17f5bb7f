import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { monotonicNs } from "../../../src/fabric/host-agent/clock.js";
import { Timers } from "../../../src/fabric/host-agent/timers.js";

describe("the clock", () => {
  it("is that of process.hrtime", () => {
    for (let i = 0; i < 100; i++) {
      const before = Number(process.hrtime.bigint());
      const now = monotonicNs();
      const after = Number(process.hrtime.bigint());
      // Read one after the other when the process started, the two clocks may be a little apart.
      expect(now).toBeGreaterThan(before - 50_000);
      expect(now).toBeLessThan(after + 50_000);
    }
  });
});

describe("timers", () => {
  it("call back in the order of their times, then of their setting, and never early", async () => {
    const delays = fc.array(fc.integer({ min: -1, max: 8 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(delays, async (delays) => {
        const timers = new Timers(monotonicNs);
        const called: number[] = [];
        const start = monotonicNs();
        await new Promise<void>((resolve) => {
          delays.forEach((delay, i) => {
            const at = start + delay * 100_000;
            timers.at(at, () => {
              expect(monotonicNs()).toBeGreaterThanOrEqual(at);
              if (called.push(i) === delays.length) resolve();
            });
          });
          expect(called).toEqual([]);
        });
        const order = delays.map((_, i) => i).sort((a, b) => delays[a]! - delays[b]! || a - b);
        expect(called).toEqual(order);
        timers.close();
      }),
      { numRuns: 20 },
    );
  });

  it("may be set by what they call, and call nothing once closed", async () => {
    const timers = new Timers(monotonicNs);
    const called: string[] = [];
    await new Promise<void>((resolve) => {
      timers.at(monotonicNs(), () => {
        called.push("first");
        timers.at(monotonicNs() + 1000, () => {
          called.push("second");
          resolve();
        });
      });
    });
    timers.at(monotonicNs() + 1000, () => called.push("never"));
    timers.close();
    const other = new Timers(monotonicNs);
    await new Promise<void>((resolve) => other.at(monotonicNs() + 5e6, resolve));
    other.close();
    expect(called).toEqual(["first", "second"]);
  });
});
