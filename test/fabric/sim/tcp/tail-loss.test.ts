/**
 * Losses near the end of a flow, whose last segment carries its data and a FIN, against closed forms of RFC 8985, 6675 and
 * 9937. The links are so fast that segments of one round arrive together: the completion time is a number of round trips, and
 * what the detection of the loss waits for.
 */
import { describe, expect, it } from "vitest";
import type { CongestionControlName, TcpOptions } from "../../../../src/fabric/sim/packet/index.js";
import { runChain, SEGMENT } from "../congestion/chain.js";

const MS = 1e6;
const RTT = 10;
const RTO_MIN = 200;
/** The reordering window of RFC 8985, section 6.2, before any reordering was seen. */
const REORDERING = RTT / 4;
/** The timeout of a tail loss probe (section 7.2). */
const PROBE = 2 * RTT;

/** Completion time at the receiver in ms, timeouts and retransmissions of a flow of so many segments. */
function run(
  segments: number,
  lost: readonly number[],
  control: CongestionControlName = "reno",
  transport: Partial<TcpOptions> = {},
) {
  const { flows } = runChain({
    hops: 1,
    rate: 100e9,
    accessRate: 1000e9,
    delay: (RTT / 2) * MS,
    queue: 10_000,
    lostSegments: lost,
    flows: [{ control, from: 0, to: 1, delay: 0, bytes: segments * SEGMENT, startNs: 0 }],
    warmUpNs: 0,
    untilNs: 5000 * MS,
    transport: { floor: RTO_MIN * MS, delayedAck: { segments: 1, timeout: 0 }, ...transport },
  });
  const { fctNs, timeouts, retransmissions } = flows[0]!;
  return { fct: fctNs / MS, timeouts, retransmissions };
}

/** The handshake, and rounds of 10, 20, 40 ... segments of which the last one needs half a round trip. */
function withoutLoss(segments: number): number {
  let rounds = 1;
  for (let sent = 10; sent < segments; sent += 10 * 2 ** rounds++);
  return RTT + (rounds - 1) * RTT + RTT / 2;
}

const near = (value: number, expected: number, share = 0.005) =>
  expect(Math.abs(value / expected - 1), `${value} against ${expected} ms`).toBeLessThan(share);

describe.each([10, 30, 100])("a flow of %i segments with RACK (RFC 8985)", (segments) => {
  const base = withoutLoss(segments);

  it.each(["reno", "cubic", "dctcp"] as const)("%s: takes its rounds without a loss", (control) => {
    const { fct, timeouts } = run(segments, [], control);
    near(fct, base);
    expect(timeouts).toBe(0);
  });

  it.each(["reno", "cubic", "dctcp"] as const)(
    "%s: a lost segment with three after it takes a round trip",
    (control) => {
      const { fct, timeouts, retransmissions } = run(segments, [segments - 4], control);
      near(fct, base + RTT);
      expect([timeouts, retransmissions]).toEqual([0, 1]);
    },
  );

  it.each([
    ["reno", 2],
    ["cubic", 2],
    ["dctcp", 2],
    ["reno", 3],
    ["cubic", 3],
    ["dctcp", 3],
  ] as const)(
    "%s: number %i from the end takes a round trip and a quarter of the smallest one",
    (control, back) => {
      const { fct, timeouts, retransmissions } = run(segments, [segments - back], control);
      near(fct, base + RTT + REORDERING);
      expect([timeouts, retransmissions]).toEqual([0, 1]);
    },
  );

  it.each(["reno", "cubic", "dctcp"] as const)(
    "%s: the last one takes two smoothed round trips of a probe",
    (control) => {
      const { fct, timeouts, retransmissions } = run(segments, [segments - 1], control);
      near(fct, base + RTT + PROBE);
      expect([timeouts, retransmissions]).toEqual([0, 1]);
    },
  );

  it("bbr: repairs each of them without a timeout, in that time", () => {
    const paced = run(segments, [], "bbr").fct;
    for (const [back, extra] of [
      [4, RTT],
      [3, RTT + REORDERING],
      [2, RTT + REORDERING],
      [1, RTT + PROBE],
    ] as const) {
      const { fct, timeouts } = run(segments, [segments - back], "bbr");
      // The pace puts up to a tenth of a round trip between the segments.
      expect(Math.abs(fct - paced - extra)).toBeLessThan(RTT / 10);
      expect(timeouts).toBe(0);
    }
  });
});

describe("several losses at the end of 10 segments with RACK", () => {
  const base = withoutLoss(10);

  it.each([
    // The reordering timer lets one segment out; its acknowledgement the others (RFC 9937, section 6).
    [[7, 8], base + 2 * RTT + REORDERING],
    [[6, 7, 8], base + 2 * RTT + REORDERING],
    // The probe tells that the tail is lost: its acknowledgement lets RACK find the rest, and lets one segment out (RFC 9937, section
    // 6), whose acknowledgement lets out two, and so on.
    [[7, 8, 9], base + PROBE + 3 * RTT],
    [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], base + PROBE + 4 * RTT],
    // One segment, then with PRR (RFC 9937, section 6) 2, 4 and the last 2.
    [[0, 1, 2, 3, 4, 5, 6, 7, 8], base + REORDERING + 4 * RTT],
  ])("%j lost: no timeout", (lost, expected) => {
    const { fct, timeouts } = run(10, lost);
    near(fct, expected);
    expect(timeouts).toBe(0);
  });
});

it("finds the rest of a tail by the last segment's first copy, though its probe left just before", () => {
  // At 1 Gbit/s and 16 us the smoothed round trip, which begins with the handshake's, is short of that of the data.
  const { flows } = runChain({
    hops: 1,
    rate: 1e9,
    accessRate: 1e9,
    delay: 4000,
    queue: 10_000,
    lostSegments: [6, 7, 8],
    flows: [{ control: "reno", from: 0, to: 1, delay: 0, bytes: 10 * SEGMENT, startNs: 0 }],
    warmUpNs: 0,
    untilNs: 100 * MS,
    transport: { margin: 5 * MS, floor: 0, delayedAck: { segments: 1, timeout: 0 } },
  });
  expect(flows[0]!.timeouts).toBe(0);
  expect(flows[0]!.fctNs).toBeLessThan(MS / 2);
});

describe("SACK without RACK (RFC 6675)", () => {
  const base = withoutLoss(10);

  it("finds a loss by three segments after it, of which the last one has the FIN", () => {
    const { fct, timeouts } = run(10, [6], "reno", { rack: false });
    near(fct, base + RTT);
    expect(timeouts).toBe(0);
  });

  it.each([7, 8, 9])("waits for the timer where fewer follow: %i of 10", (lost) => {
    const { fct, timeouts, retransmissions } = run(10, [lost], "reno", { rack: false });
    // The timer begins with the acknowledgement of the segments before the loss.
    near(fct, base + RTT + RTO_MIN);
    expect([timeouts, retransmissions]).toEqual([1, 1]);
  });

  it.each([true, false])(
    "sends two segments after the timer's one, of which one has the FIN; SACK: %s",
    (sack) => {
      const { fct, timeouts, retransmissions } = run(10, [7, 8, 9], "reno", { rack: false, sack });
      // A FIN is no byte of the window: 7 at the timeout, 8 and 9 a round trip later.
      near(fct, base + 2 * RTT + RTO_MIN);
      expect([timeouts, retransmissions]).toEqual([1, 3]);
    },
  );
});
