import { describe, expect, it } from "vitest";
import { Cubic } from "../../../../src/fabric/sim/packet/transport/congestion/cubic.js";
import { SlowStartExit } from "../../../../src/fabric/sim/packet/transport/congestion/slow-start-exit.js";
import { MS, MSS, options, sample } from "./samples.js";

/** One round with this number of acknowledgements with one round trip. */
function round(exit: SlowStartExit, rttMs: number, count = 8): void {
  for (let i = 0; i < count; i++) exit.onAck(sample({ rttNs: rttMs * MS, roundStart: i === 0 }));
}

describe("HyStart++ (RFC 9406, section 4)", () => {
  it.each([
    // The threshold is an eighth of the last round's minimum, but between 4 and 16 ms.
    [10, 13.9, 1],
    [10, 14, 4],
    [80, 89.9, 1],
    [80, 90, 4],
    [400, 415.9, 1],
    [400, 416, 4],
  ])("a round of %d ms, then one of %d ms: growth is divided by %i", (first, second, divisor) => {
    const exit = new SlowStartExit();
    round(exit, first);
    round(exit, second);
    expect(exit.growthDivisor).toBe(divisor);
  });

  it("needs eight samples of a round", () => {
    const exit = new SlowStartExit();
    round(exit, 10);
    round(exit, 50, 7);
    expect(exit.growthDivisor).toBe(1);
    exit.onAck(sample({ rttNs: 50 * MS }));
    expect(exit.growthDivisor).toBe(4);
  });

  it("goes back to slow start when round trips are shorter than when it began", () => {
    const exit = new SlowStartExit();
    round(exit, 10);
    round(exit, 20);
    round(exit, 19);
    expect(exit.growthDivisor).toBe(1);
    expect(exit.finished).toBe(false);
  });

  it("ends slow start after five rounds", () => {
    const exit = new SlowStartExit();
    round(exit, 10);
    round(exit, 20);
    for (let i = 0; i < 4; i++) {
      round(exit, 20 + i);
      expect(exit.finished).toBe(false);
    }
    round(exit, 30);
    expect(exit.finished).toBe(true);
  });

  it("opens CUBIC's window a quarter as far, and ends its slow start at the window of that time", () => {
    const cubic = new Cubic(options());
    const acks = (rttMs: number) => {
      for (let i = 0; i < 8; i++) cubic.onAck(sample({ rttNs: rttMs * MS, roundStart: i === 0 }));
    };
    acks(10);
    expect(cubic.window).toBe(18 * MSS);
    acks(20);
    // The eighth sample decides: it already counts a quarter.
    expect(cubic.window).toBe(25.25 * MSS);
    for (let i = 0; i < 4; i++) acks(20);
    expect(cubic.slowStartThreshold).toBe(Number.POSITIVE_INFINITY);
    expect(cubic.window).toBe(33.25 * MSS);
    cubic.onAck(sample({ rttNs: 20 * MS, roundStart: true }));
    expect(cubic.slowStartThreshold).toBe(33.25 * MSS);
  });
});
