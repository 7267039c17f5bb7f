/** TCP flows of the packet simulator that lose segments once, against a second model from the RFCs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FRAME, runChain, SEGMENT } from "../fabric/sim/congestion/chain.js";
import { runTailLoss } from "../models/tail-loss.js";

const MS = 1e6;
/** So fast that the segments of a round arrive together. */
const RATE = 100e9;
const ACCESS = 10_000e9;
/** Ethernet, IPv4, TCP with the echo option. */
const CONTROL = FRAME - SEGMENT;

interface Case {
  readonly segments: number;
  readonly lost: readonly number[];
  readonly sack: boolean;
  readonly rack: boolean;
  readonly rttMs: number;
  /** Of the model: RFC 5681's inflated window in place of PRR. */
  readonly inflates?: boolean;
}

/** Microseconds to the last byte, and timeouts, in the simulator and in the model. */
function both({ segments, lost, sack, rack, rttMs, inflates = false }: Case) {
  const { flows } = runChain({
    hops: 1,
    rate: RATE,
    accessRate: ACCESS,
    delay: (rttMs / 2) * MS,
    queue: 100_000,
    lostSegments: lost,
    flows: [{ control: "reno", from: 0, to: 1, delay: 0, bytes: segments * SEGMENT, startNs: 0 }],
    warmUpNs: 0,
    untilNs: 60_000 * MS,
    transport: { floor: 200 * MS, delayedAck: { segments: 1, timeout: 0 }, sack, rack },
  });
  const line = (bits: number, delay: number) => ({
    data: (FRAME * 8e6) / bits,
    control: (CONTROL * 8e6) / bits,
    delay,
  });
  const access = line(ACCESS, 0);
  const bottleneck = line(RATE, rttMs * 500);
  const model = runTailLoss({
    segments,
    lost,
    lostAfter: 1,
    there: [access, bottleneck, access],
    back: [access, bottleneck, access],
    sack,
    rack,
    inflates,
    rtoMin: 200_000,
  });
  const { fctNs, timeouts, retransmissions } = flows[0]!;
  return { simulated: { time: fctNs / 1000, timeouts, retransmissions }, model };
}

const how = {
  "RACK and its probes": { sack: true, rack: true },
  "SACK alone": { sack: true, rack: false },
  neither: { sack: false, rack: false },
};

/** Losses anywhere, or among the last eight segments. */
const losses = (longest: number) =>
  fc
    .record({
      segments: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: longest })),
      drawn: fc.array(fc.nat(999), { maxLength: 6 }),
      tail: fc.boolean(),
      rttMs: fc.constantFrom(10, 40),
    })
    .map(({ segments, drawn, tail, rttMs }) => {
      const most = tail ? Math.min(segments, 8) : segments;
      const lost = [...new Set(drawn.map((value) => segments - 1 - (value % most)))].sort((a, b) => a - b);
      return { segments, lost, rttMs };
    });

describe("lost segments of a flow", () => {
  // For SACK alone a round trip: where several segments may be lost, RFC 6675 leaves open how many an acknowledgement sends again.
  it.each([
    ["RACK and its probes", 0.05],
    ["SACK alone", 1.05],
    ["neither", 0.05],
  ] as const)("are repaired when the RFCs say, after as many timeouts: with %s", (name, tolerance) => {
    fc.assert(
      fc.property(losses(10), (drawn) => {
        const { simulated, model } = both({ ...drawn, ...how[name] });
        expect(simulated.timeouts).toBe(model.timeouts);
        expect(Math.abs(simulated.time - model.delivered) / (drawn.rttMs * 1000)).toBeLessThan(tolerance);
      }),
    );
  });

  // Windows that grow between losses may differ by a segment, which is a round trip for each loss that follows.
  it("are repaired in longer flows with RACK after as many timeouts, at most a round trip a loss from that time", () => {
    fc.assert(
      fc.property(losses(60), (drawn) => {
        const { simulated, model } = both({ ...drawn, ...how["RACK and its probes"] });
        expect(simulated.timeouts).toBe(model.timeouts);
        expect(Math.abs(simulated.time - model.delivered) / (drawn.rttMs * 1000)).toBeLessThan(
          drawn.lost.length + 0.05,
        );
      }),
    );
  });

  it("are repaired in longer flows without SACK at that time, by as many segments (RFC 6582 with RFC 9937)", () => {
    const seen = { recoveries: 0, timeouts: 0 };
    fc.assert(
      fc.property(losses(120), (drawn) => {
        const { simulated, model } = both({ ...drawn, ...how.neither });
        const { timeouts, retransmissions } = model;
        expect(simulated).toMatchObject({ timeouts, retransmissions });
        expect(Math.abs(simulated.time - model.delivered) / (drawn.rttMs * 1000)).toBeLessThan(0.05);
        if (timeouts > 0) seen.timeouts++;
        else if (retransmissions > 0) seen.recoveries++;
      }),
      { numRuns: 200 },
    );
    expect(Math.min(seen.recoveries, seen.timeouts)).toBeGreaterThan(20);
  });

  // PRR sends a segment for every second duplicate, RFC 5681 one for each after half of them: the same number in one round trip.
  it("are repaired without SACK within a round trip of the time that RFC 6582 alone gives, where one segment is lost", () => {
    fc.assert(
      fc.property(losses(120), (drawn) => {
        const lost = drawn.lost.slice(0, 1);
        const { simulated, model } = both({ ...drawn, lost, ...how.neither, inflates: true });
        expect(simulated.timeouts).toBe(model.timeouts);
        expect(Math.abs(simulated.time - model.delivered) / (drawn.rttMs * 1000)).toBeLessThan(1.05);
      }),
    );
  });

  it("need the timer at the end of a flow without RACK, and never with it", () => {
    const tail = { segments: 10, rttMs: 10 };
    for (const lost of [[9], [8], [7], [7, 8, 9]]) {
      expect(both({ ...tail, lost, ...how["SACK alone"] }).simulated.timeouts).toBe(1);
      expect(both({ ...tail, lost, ...how.neither }).simulated.timeouts).toBe(1);
      expect(both({ ...tail, lost, ...how["RACK and its probes"] }).simulated.timeouts).toBe(0);
    }
  });
});
