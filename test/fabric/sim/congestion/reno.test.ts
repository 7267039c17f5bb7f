import { describe, expect, it } from "vitest";
import { Reno } from "../../../../src/fabric/sim/packet/transport/congestion/reno.js";
import { acknowledge, lose, MSS, options, sample } from "./samples.js";

describe("slow start (RFC 5681, section 3.1; RFC 3465, section 2.2)", () => {
  it.each([
    [1000, 11_000],
    [400, 10_400],
    [2000, 12_000],
    [5000, 12_000],
  ])("an acknowledgement of %i bytes opens a window of 10000 to %i", (deliveredBytes, window) => {
    const reno = new Reno(options());
    reno.onAck(sample({ deliveredBytes }));
    expect(reno.window).toBe(window);
  });

  it("does not open a window that the sender does not use", () => {
    const reno = new Reno(options());
    reno.onAck(sample({ windowLimited: false }));
    expect(reno.window).toBe(10_000);
  });

  it("does not open a window by data that arrive above a hole, where no reordering was seen (RFC 5681, section 3.1)", () => {
    const reno = new Reno(options());
    reno.onAck(sample({ advanced: false, mayGrow: false }));
    expect(reno.window).toBe(10_000);
    reno.onAck(sample({ advanced: false, mayGrow: true }));
    expect(reno.window).toBe(11_000);
  });

  it("ends at the threshold, and what an acknowledgement has left counts for congestion avoidance", () => {
    const reno = new Reno(options());
    lose(reno, 8);
    reno.onTimeout(0, 8000, false);
    // 1000, 2000, 3000, then 4000 is the threshold.
    acknowledge(reno, 3);
    expect(reno.window).toBe(4000);
    acknowledge(reno, 3);
    expect(reno.window).toBe(4000);
    acknowledge(reno, 1);
    expect(reno.window).toBe(5000);
  });

  it("counts one segment an acknowledgement after a timeout (RFC 3465, section 2.3)", () => {
    const reno = new Reno(options());
    reno.onTimeout(0, 20_000, true);
    reno.onAck(sample({ deliveredBytes: 2000 }));
    expect(reno.window).toBe(2000);
  });
});

describe("congestion avoidance (RFC 5681, section 3.1)", () => {
  it("opens the window by a segment when a window of data is acknowledged", () => {
    const reno = new Reno(options());
    lose(reno, 20);
    expect(reno.window).toBe(10_000);
    acknowledge(reno, 9);
    expect(reno.window).toBe(10_000);
    acknowledge(reno, 1);
    expect(reno.window).toBe(11_000);
    acknowledge(reno, 11);
    expect(reno.window).toBe(12_000);
  });

  it("opens it as far with delayed acknowledgements", () => {
    const reno = new Reno(options());
    lose(reno, 20);
    acknowledge(reno, 5, { deliveredBytes: 2000 });
    expect(reno.window).toBe(11_000);
  });
});

describe("reduction", () => {
  it.each([
    [20, 10_000],
    [9, 4500],
    [3, 2000],
    [1, 2000],
  ])("a loss with %i segments outstanding leaves %i bytes (RFC 5681, equation 4)", (flight, window) => {
    const reno = new Reno(options());
    lose(reno, flight);
    expect(reno.window).toBe(window);
    expect(reno.slowStartThreshold).toBe(window);
  });

  it("is as large for marks (RFC 3168, section 6.1.2), but not in a recovery", () => {
    const reno = new Reno(options());
    reno.onCongestion(0, 10_000);
    expect(reno.window).toBe(5000);
    reno.onLoss(0, 6000, 5000, 1000);
    reno.onCongestion(0, 4000);
    reno.onRecovered(0);
    expect(reno.window).toBe(3000);
  });

  it("takes the window to one segment after a timeout; the threshold stays when the timer runs out again", () => {
    const reno = new Reno(options());
    reno.onTimeout(0, 20_000, true);
    expect([reno.window, reno.slowStartThreshold]).toEqual([1000, 10_000]);
    reno.onTimeout(0, 1000, false);
    expect([reno.window, reno.slowStartThreshold]).toEqual([1000, 10_000]);
  });

  it("is reverted when nothing was lost", () => {
    const reno = new Reno(options());
    reno.onTimeout(0, 10_000, true);
    reno.onUndo(0);
    expect([reno.window, reno.slowStartThreshold]).toEqual([10_000, Number.POSITIVE_INFINITY]);
  });
});

describe("restart after a pause (RFC 5681, section 4.1)", () => {
  it("takes the window to the initial one, and leaves a smaller one", () => {
    const reno = new Reno(options());
    acknowledge(reno, 10);
    reno.onIdle(1);
    expect(reno.window).toBe(10 * MSS);
    lose(reno, 6);
    reno.onIdle(1);
    expect(reno.window).toBe(3 * MSS);
  });
});
