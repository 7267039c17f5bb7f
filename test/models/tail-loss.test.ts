import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runTailLoss, type TailLoss } from "./tail-loss.js";

const link = { data: 8, control: 0.5, delay: 100 };
const flow = (rest: Partial<TailLoss> = {}): TailLoss => ({
  segments: 10,
  lost: [],
  lostAfter: 1,
  there: [link],
  back: [link],
  sack: true,
  rack: true,
  rtoMin: 5000,
  ...rest,
});
const rtt = 201;
/** Arrival of segment i of the first window. */
const arrival = (i: number) => rtt + (i + 1) * 8 + 100;

describe("the table of tail losses", () => {
  it("is the link's time without loss", () => {
    for (const segments of [1, 5, 10]) {
      const result = runTailLoss(flow({ segments }));
      expect(result).toMatchObject({
        delivered: arrival(segments - 1),
        timeouts: 0,
        probes: 0,
        retransmissions: 0,
      });
      expect(result.acknowledged).toBe(arrival(segments - 1) + 100.5);
    }
    // Slow start: 10, 20, 40 segments; each acknowledgement lets two go.
    expect(runTailLoss(flow({ segments: 30 })).delivered).toBeCloseTo(
      arrival(0) + 100.5 + 19 * 8 + 8 + 100 + 0,
      6,
    );
  });

  it("repairs the last segment by a probe after two smoothed round trips", () => {
    const { delivered, timeouts, probes } = runTailLoss(flow({ lost: [9] }));
    expect({ timeouts, probes }).toEqual({ timeouts: 0, probes: 1 });
    const lastAck = arrival(8) + 100.5;
    let srtt = rtt;
    for (let i = 0; i < 9; i++) srtt = 0.875 * srtt + 0.125 * (arrival(i) + 100.5 - rtt);
    expect(delivered).toBeCloseTo(lastAck + 2 * srtt + 108, 6);
  });

  it("repairs the last but one by RACK, a quarter of a round trip after it was due", () => {
    const { delivered, timeouts, probes } = runTailLoss(flow({ lost: [8] }));
    expect({ timeouts, probes }).toEqual({ timeouts: 0, probes: 0 });
    // All ten left at once, so the window is counted from the acknowledgement of the last one.
    expect(delivered).toBeCloseTo(arrival(9) + 100.5 + rtt / 4 + 108, 6);
  });

  it("repairs without delay what has three segments behind it", () => {
    for (const rack of [true, false]) {
      const { delivered, timeouts } = runTailLoss(flow({ lost: [6], rack }));
      expect(timeouts).toBe(0);
      expect(delivered).toBeCloseTo(arrival(9) + 100.5 + 108, 6);
    }
  });

  it("needs the timer for the last three segments without RACK", () => {
    for (const sack of [true, false])
      for (const lost of [[9], [8], [7], [7, 8, 9]]) {
        const result = runTailLoss(flow({ sack, rack: false, lost }));
        expect(result.timeouts).toBe(1);
        expect(result.delivered).toBeGreaterThan(5000);
      }
    expect(runTailLoss(flow({ sack: false, rack: false, lost: [6] })).timeouts).toBe(0);
  });

  it("never needs the timer with RACK-TLP, whichever of ten segments are lost once", () => {
    for (let set = 0; set < 1024; set++) {
      const lost = Array.from({ length: 10 }, (_, i) => i).filter((i) => (set >> i) & 1);
      const result = runTailLoss(flow({ lost }));
      expect({ set, timeouts: result.timeouts }).toEqual({ set, timeouts: 0 });
      expect(result.retransmissions).toBeGreaterThanOrEqual(lost.length);
    }
  });

  it("ends for all losses, and no loss makes a flow faster", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.uniqueArray(fc.nat(59), { maxLength: 12 }),
        fc.constantFrom([true, true], [true, false], [false, false]),
        (segments, drawn, [sack, rack]) => {
          const lost = drawn.filter((index) => index < segments);
          const settings = { segments, sack: sack!, rack: rack! };
          const result = runTailLoss(flow({ ...settings, lost }));
          expect(result.delivered).toBeGreaterThanOrEqual(runTailLoss(flow(settings)).delivered - 1e-6);
          expect(result.retransmissions).toBeGreaterThanOrEqual(lost.length);
        },
      ),
    );
  });
});
