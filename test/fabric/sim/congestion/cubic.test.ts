import { describe, expect, it } from "vitest";
import { Cubic } from "../../../../src/fabric/sim/packet/transport/congestion/cubic.js";
import { acknowledge, lose, MS, MSS, options, S, sample } from "./samples.js";

/** A control whose window had this number of segments when it lost one: seven tenths are left. */
function lossAt(segments: number): Cubic {
  const cubic = new Cubic(options({ initialWindow: segments * MSS }));
  lose(cubic, segments);
  return cubic;
}

/** One round trip a step: the whole window is acknowledged, spread over the round. */
function run(cubic: Cubic, fromNs: number, untilNs: number, rttNs: number): void {
  for (let now = fromNs; now < untilNs; ) {
    const segments = Math.floor(cubic.window / MSS);
    for (let i = 0; i < segments; i++)
      cubic.onAck(sample({ nowNs: now + (i * rttNs) / segments, smoothedRttNs: rttNs, rttNs }));
    now += rttNs;
  }
}

/** RFC 9438, figure 1, in segments. */
const closedForm = (seconds: number, maximum: number, k: number) => 0.4 * (seconds - k) ** 3 + maximum;

describe("the cubic function (RFC 9438, section 4.2)", () => {
  // K is the cube root of (100 - 70) / 0.4 = 75: 4.2172 s.
  it.each([0.5, 1, 2, 3, 4.2, 5, 6, 7])("is followed for %d s after a loss at 100 segments", (seconds) => {
    const cubic = lossAt(100);
    run(cubic, 0, seconds * S, 200 * MS);
    const expected = closedForm(seconds, 100, Math.cbrt(75));
    // Section 4.4 makes the window lag behind the function by a part of a round trip.
    expect(Math.abs(cubic.window / MSS / expected - 1)).toBeLessThan(0.02);
  });

  it("does not count the time in which the sender used no window (section 4.2)", () => {
    const cubic = lossAt(100);
    run(cubic, 0, 2 * S, 200 * MS);
    const before = cubic.window;
    cubic.onAck(sample({ nowNs: 60 * S, windowLimited: false }));
    run(cubic, 60 * S, 60.4 * S, 200 * MS);
    expect(cubic.window / MSS).toBeLessThan(closedForm(2.8, 100, Math.cbrt(75)));
    expect(cubic.window).toBeGreaterThan(before);
  });

  it("opens the window by half a round trip at most (section 4.2: target)", () => {
    const cubic = lossAt(10);
    const window = cubic.window;
    // A round trip of 100 s: the function is far above one and a half windows then.
    cubic.onAck(sample({ smoothedRttNs: 100 * S, nowNs: 0 }));
    // Reno's estimate is ahead at first: 0.5294 / 7 of a segment.
    expect(cubic.window).toBeCloseTo(window + (0.9 / 1.7 / 7) * MSS, 6);
    const before = cubic.window;
    cubic.onAck(sample({ smoothedRttNs: 100 * S, nowNs: 4 * S }));
    expect(cubic.window).toBeCloseTo(before + 0.5 * MSS, 6);
  });
});

describe("the Reno-friendly region (section 4.3)", () => {
  it("grows by 0.529 segments a round until the window before the reduction, then by one", () => {
    const cubic = lossAt(10);
    acknowledge(cubic, 7, { smoothedRttNs: MS });
    // Seven acknowledgements are a little less than a window as it grows: about 0.9 / 1.7 of a segment.
    expect(cubic.window / MSS).toBeCloseTo(7 + 0.9 / 1.7, 1);
    while (cubic.window < 10 * MSS) acknowledge(cubic, 1, { smoothedRttNs: MS });
    const window = cubic.window;
    acknowledge(cubic, 1, { smoothedRttNs: MS });
    expect(cubic.window - window).toBeCloseTo((MSS * MSS) / window, 6);
  });
});

describe("reduction", () => {
  it.each([
    [100, 70_000],
    [2, 2000],
  ])("a loss at %i segments leaves %i bytes (section 4.6)", (segments, window) => {
    expect(lossAt(segments).window).toBe(window);
  });

  it("lowers the maximum when a loss comes earlier than the last (section 4.7: fast convergence)", () => {
    const cubic = lossAt(100);
    run(cubic, 0, 0.9 * S, 300 * MS);
    const window = cubic.window / MSS;
    expect(window).toBeLessThan(100);
    lose(cubic, window, S);
    const maximum = (window * 1.7) / 2;
    const k = Math.cbrt((maximum - 0.7 * window) / 0.4);
    run(cubic, S, (1 + k) * S, 300 * MS);
    expect(Math.abs(cubic.window / MSS / maximum - 1)).toBeLessThan(0.02);
  });

  it("by marks may go down to one segment (section 4.6)", () => {
    const cubic = new Cubic(options({ initialWindow: 2 * MSS }));
    cubic.onCongestion(0, 2 * MSS);
    expect(cubic.window).toBe(1400);
    cubic.onCongestion(0, 1400);
    expect(cubic.window).toBe(MSS);
    expect(cubic.slowStartThreshold).toBe(2 * MSS);
  });

  it("by a timeout takes the window to one segment, and the function starts flat (section 4.8)", () => {
    const cubic = lossAt(100);
    cubic.onTimeout(S, 70 * MSS, true);
    expect([cubic.window, cubic.slowStartThreshold]).toEqual([MSS, 49 * MSS]);
    acknowledge(cubic, 48, { nowNs: S });
    expect(cubic.window).toBe(49 * MSS);
    // K is 0: two seconds later 49 + 0.4 * 8 segments.
    run(cubic, S, 3 * S, 500 * MS);
    expect(Math.abs(cubic.window / MSS / closedForm(2, 49, 0) - 1)).toBeLessThan(0.02);
  });

  it("is reverted when nothing was lost (section 4.9)", () => {
    const cubic = lossAt(100);
    run(cubic, 0, S, 200 * MS);
    const window = cubic.window;
    cubic.onLoss(S, window, window - MSS, MSS);
    cubic.onUndo(S);
    expect(cubic.window).toBe(window);
    // The maximum is 100 again: the window stays below it for long, as it would after fast convergence to less.
    run(cubic, S, 6 * S, 200 * MS);
    expect(cubic.window / MSS).toBeGreaterThan(95);
  });
});
