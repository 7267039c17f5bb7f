import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { Bbr } from "../../../../src/fabric/sim/packet/transport/congestion/bbr.js";
import { MS, MSS, options, S, sample } from "./samples.js";

/** Bytes a second, and nanoseconds: the BDP is 100 segments. */
const RATE = 10_000_000;
const RTT = 10 * MS;
const BDP = 100 * MSS;
const HIGH_GAIN = 2 / Math.log(2);

/** A path that delivers at a rate: one acknowledgement a round trip unless more are asked for. */
class Path {
  now = 0;
  delivered = 0;
  constructor(readonly bbr: Bbr) {}
  ack(changes: Parameters<typeof sample>[0] = {}): void {
    this.now += RTT;
    this.delivered += changes.deliveredBytes ?? BDP;
    this.bbr.onAck(
      sample({
        nowNs: this.now,
        deliveredBytes: BDP,
        totalDelivered: this.delivered,
        rttNs: RTT,
        priorInFlight: BDP,
        inFlight: BDP,
        deliveryRate: RATE,
        roundStart: true,
        ...changes,
      }),
    );
  }
  /** Until the rate is known and the queue of startup is gone. */
  settle(): void {
    for (let i = 0; i < 5; i++) this.ack();
  }
}

const settled = (seed = 1) => {
  const path = new Path(new Bbr(options({ random: new Random(seed) })));
  path.settle();
  return path;
};

describe("startup (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.2)", () => {
  it("begins at 2 / ln 2 times the initial window a millisecond", () => {
    const bbr = new Bbr(options());
    expect(bbr.pacingRate).toBeCloseTo(HIGH_GAIN * 10 * MSS * 1000, 3);
    expect(bbr.window).toBe(10 * MSS);
  });

  it("continues while the rate grows by a quarter a round", () => {
    const path = new Path(new Bbr(options()));
    for (let i = 0; i < 10; i++) path.ack({ deliveryRate: 1e5 * 1.25 ** i });
    expect(path.bbr.phase).toBe("startup");
    expect(path.bbr.bandwidth).toBeCloseTo(1e5 * 1.25 ** 9, 3);
  });

  it("ends after three rounds in which it does not, and the queue drains", () => {
    const path = new Path(new Bbr(options()));
    const phases: string[] = [];
    for (let i = 0; i < 5; i++) {
      path.ack({ inFlight: 3 * BDP });
      phases.push(path.bbr.phase);
    }
    expect(phases).toEqual(["startup", "startup", "startup", "drain", "drain"]);
    expect(path.bbr.pacingRate).toBeCloseTo(RATE / HIGH_GAIN, 3);
    path.ack({ inFlight: BDP });
    expect(path.bbr.phase).toBe("probe_bandwidth");
  });

  it("does not count rounds that the application limits", () => {
    const path = new Path(new Bbr(options()));
    for (let i = 0; i < 10; i++) path.ack({ appLimited: true });
    expect(path.bbr.phase).toBe("startup");
  });
});

describe("the model (section 4.1)", () => {
  it("keeps the largest rate of ten rounds", () => {
    const path = settled();
    path.ack({ deliveryRate: 2 * RATE });
    for (let i = 0; i < 9; i++) {
      path.ack();
      expect(path.bbr.bandwidth).toBe(2 * RATE);
    }
    path.ack();
    expect(path.bbr.bandwidth).toBe(RATE);
  });

  it("takes a rate that the application limited only when it is larger", () => {
    const path = settled();
    for (let i = 0; i < 5; i++) path.ack({ deliveryRate: RATE / 2, appLimited: true, roundStart: false });
    expect(path.bbr.bandwidth).toBe(RATE);
    path.ack({ deliveryRate: 3 * RATE, appLimited: true });
    expect(path.bbr.bandwidth).toBe(3 * RATE);
  });

  it("keeps the smallest round trip, and bounds the window by two BDP and three segments", () => {
    const path = settled();
    path.ack({ rttNs: RTT / 2 });
    path.ack({ rttNs: RTT });
    expect(path.bbr.minRttNs).toBe(RTT / 2);
    for (let i = 0; i < 5; i++) path.ack();
    expect(path.bbr.window).toBe(2 * (BDP / 2) + 3 * MSS);
  });
});

describe("probing for bandwidth (section 4.3.4)", () => {
  it("passes the eight gains in order, one round trip each", () => {
    const path = settled();
    const gains: number[] = [];
    for (let i = 0; i < 24; i++) {
      path.now += 1;
      // The flight is what the gain before asks for.
      path.ack({ priorInFlight: 1.3 * BDP + 10 * MSS });
      gains.push(Math.round((path.bbr.pacingRate / RATE) * 100) / 100);
    }
    const start = gains.indexOf(1.25);
    expect(gains.slice(start, start + 9)).toEqual([1.25, 0.75, 1, 1, 1, 1, 1, 1, 1.25]);
  });

  it("stays at 1.25 until the flight is there or data are lost, and leaves 0.75 when the queue is gone", () => {
    const path = settled();
    const probe = () => {
      while (path.bbr.pacingRate < 1.2 * RATE) {
        path.now += 1;
        path.ack({ priorInFlight: 1.3 * BDP + 10 * MSS });
      }
    };
    probe();
    for (let i = 0; i < 5; i++) path.ack({ priorInFlight: BDP });
    expect(path.bbr.pacingRate).toBe(1.25 * RATE);
    path.ack({ priorInFlight: BDP, lostBytes: MSS });
    expect(path.bbr.pacingRate).toBe(0.75 * RATE);
    path.now -= RTT - 1;
    path.ack({ priorInFlight: BDP });
    expect(path.bbr.pacingRate).toBe(RATE);
  });

  it("begins at a phase that is drawn, never at 0.75", () => {
    const first = new Set<number>();
    for (let seed = 0; seed < 60; seed++) {
      const path = settled(seed);
      let steps = 0;
      while (path.bbr.pacingRate < 1.2 * RATE) {
        path.now += 1;
        path.ack({ priorInFlight: 1.3 * BDP + 10 * MSS });
        steps++;
      }
      first.add(steps);
    }
    // 7 steps before 1.25 is the phase 0.75.
    expect([...first].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe("probing for the round trip (section 4.3.5)", () => {
  it("holds four segments for 200 ms and a round when no smaller round trip came for ten seconds", () => {
    const path = settled();
    for (let i = 0; i < 998; i++) path.ack({ rttNs: RTT + 1 });
    expect(path.bbr.phase).toBe("probe_bandwidth");
    const before = path.bbr.window;
    while (path.bbr.phase === "probe_bandwidth") path.ack({ rttNs: RTT + 1 });
    expect(path.now - RTT).toBeGreaterThan(10 * S);
    expect(path.now - RTT).toBeLessThan(10.06 * S);
    expect(path.bbr.window).toBe(4 * MSS);
    // The flight falls to four segments; from then on 200 ms.
    path.ack({ deliveredBytes: 4 * MSS, inFlight: 4 * MSS });
    const from = path.now;
    while (path.bbr.phase === "probe_rtt")
      path.ack({ deliveredBytes: 4 * MSS, inFlight: 4 * MSS, deliveryRate: 4e5 });
    expect(path.now - from).toBe(210 * MS);
    expect(path.bbr.window).toBeGreaterThanOrEqual(before);
    expect(path.bbr.bandwidth).toBe(RATE);
  });
});

describe("recovery (section 4.2.3.4)", () => {
  it("sends a segment for each that arrives for a round, then goes back to the window before", () => {
    const path = settled();
    for (let i = 0; i < 5; i++) path.ack();
    const window = path.bbr.window;
    path.bbr.onLoss(path.now, BDP, BDP - MSS, MSS);
    path.ack({ deliveredBytes: MSS, inFlight: BDP - 2 * MSS, lostBytes: MSS, totalDelivered: 1e9 });
    expect(path.bbr.window).toBe(BDP - MSS);
    path.ack({ deliveredBytes: MSS, inFlight: BDP - 2 * MSS, totalDelivered: 1e9 + MSS });
    expect(path.bbr.window).toBe(BDP - MSS);
    path.bbr.onRecovered(path.now);
    expect(path.bbr.window).toBe(window);
  });

  it("takes the window to one segment after a timeout, and gives it back", () => {
    const path = settled();
    for (let i = 0; i < 5; i++) path.ack();
    const window = path.bbr.window;
    path.bbr.onTimeout(path.now, BDP, true);
    expect(path.bbr.window).toBe(MSS);
    path.bbr.onTimeout(path.now, BDP, false);
    path.bbr.onRecovered(path.now);
    expect(path.bbr.window).toBe(window);
  });
});

describe("bounds of the window and the rate (section 4.2)", () => {
  it("let the pacing rate rise in startup, and not fall", () => {
    const path = new Path(new Bbr(options()));
    const first = path.bbr.pacingRate;
    path.ack({ deliveryRate: RATE / 1000 });
    expect(path.bbr.pacingRate).toBe(first);
    path.ack({ deliveryRate: 10 * RATE });
    expect(path.bbr.pacingRate).toBeCloseTo(HIGH_GAIN * 10 * RATE, 3);
  });

  it("let the window grow in startup by all that is delivered, to the target, and beyond it until an initial window is delivered", () => {
    const path = new Path(new Bbr(options()));
    // The target is 2 / ln 2 of the BDP, and three segments.
    path.ack({ deliveredBytes: 5 * MSS, deliveryRate: RATE / 100 });
    expect(path.bbr.window).toBe(15 * MSS);
    path.ack({ deliveredBytes: 5 * MSS, deliveryRate: RATE / 100 });
    expect(path.bbr.window).toBe(15 * MSS);
    path.ack({ deliveredBytes: 5 * MSS, deliveryRate: RATE });
    expect(path.bbr.window).toBe(20 * MSS);
  });

  it("take what is lost off the window in a recovery alone, and keep one segment", () => {
    const path = settled();
    for (let i = 0; i < 5; i++) path.ack();
    const window = path.bbr.window;
    path.ack({ lostBytes: 10 * MSS });
    expect(path.bbr.window).toBe(window);
    path.bbr.onTimeout(path.now, BDP, true);
    path.ack({ deliveredBytes: 0, lostBytes: 5 * MSS, inFlight: 0 });
    expect(path.bbr.window).toBe(4 * MSS);
  });

  it("keep as much in flight as arrives for one round of a recovery, then let the window grow again", () => {
    const path = settled();
    for (let i = 0; i < 5; i++) path.ack();
    path.bbr.onLoss(path.now, BDP, 10 * MSS, 90 * MSS);
    const total = path.delivered;
    const arrives = (totalDelivered: number) =>
      path.ack({ deliveredBytes: MSS, inFlight: 10 * MSS, totalDelivered });
    arrives(total + MSS);
    expect(path.bbr.window).toBe(11 * MSS);
    // The round ends when the ten segments that were in flight are delivered.
    arrives(total + 11 * MSS);
    expect(path.bbr.window).toBe(11 * MSS);
    arrives(total + 12 * MSS);
    expect(path.bbr.window).toBe(12 * MSS);
  });
});
