/** CONGA's compiled programs against a model that follows the paper: drawn packets, pauses, reports. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAPACITY, NONE, overlayOf, segment, start, tell, wrapped } from "../fabric/schemes/conga/bench.js";
import { aged, bestUplinks, Estimator, Feedback, quantised } from "../models/conga.js";

const BITS = 3;
const metric = fc.nat({ max: 7 });
const metrics = fc.tuple(metric, metric, metric, metric);

describe("the estimator of a link", () => {
  const drawn = fc.array(
    fc.record({
      pause: fc.oneof(fc.nat(60), fc.constantFrom(0, 19, 20, 21, 160, 2559, 2560, 6000)),
      payload: fc.nat(1400),
    }),
    { minLength: 1, maxLength: 60 },
  );

  it("has the metric of the model at each packet, but for the rounding of its powers", () => {
    fc.assert(
      fc.property(drawn, (packets) => {
        const leaf = start("leaf0-0");
        const model = new Estimator(0.125, 20, 128 * 20);
        for (const { pause, payload } of packets) {
          leaf.wait(pause);
          const frame = wrapped(segment("host0-0-0", "host0-1-0", 1000, payload), {});
          const told = overlayOf(leaf.play(1, frame)!.frame)!.congestion;
          const x = model.at(leaf.clock.time);
          // A part in a thousand of the capacity below or above.
          const [low, high] = [-1, 1].map((side) => quantised(x + side * 0.001 * CAPACITY, CAPACITY, BITS));
          expect(told).toBeGreaterThanOrEqual(Math.max(0, low!));
          expect(told).toBeLessThanOrEqual(high!);
          model.add(leaf.clock.time, frame.length);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("tends to the whole capacity where a link is full, and to the share of it that a slower flow takes", () => {
    for (const [share, expected] of [
      [1, 0.93],
      [0.5, 0.46],
    ] as const) {
      const model = new Estimator(0.125, 20, 128 * 20);
      for (let at = 0; at < 20_000; at += 10) model.add(at, 1250 * share);
      expect(model.at(20_000) / CAPACITY).toBeGreaterThan(expected * 0.9);
      expect(model.at(20_000) / CAPACITY).toBeLessThan(share * 1.05);
    }
  });
});

describe("the choice of an uplink", () => {
  it("is one of the best of the model, and the one before where that is among them", () => {
    fc.assert(
      fc.property(metrics, metrics, fc.nat(25_000), (first, second, age) => {
        const tor = start("tor0-0");
        const send = (srcPort: number) => tor.play(1, segment("host0-0-0", "host0-1-0", srcPort))!.port - 3;
        tell(tor, 1, first);
        const told = (values: readonly number[], since: number) =>
          values.map((remote) => ({ local: 0, remote: aged(remote, since, 10_000) }));
        const before = send(1000);
        expect(bestUplinks(told(first, 0))).toContain(before);
        tell(tor, 1, second);
        tor.wait(501 + age);
        const uplinks = told(second, 501 + age);
        expect(bestUplinks(uplinks, before)).toContain(send(1000));
        expect(bestUplinks(uplinks)).toContain(send(1001));
      }),
      { numRuns: 80 },
    );
  });

  it("without a difference reaches every uplink about as often", () => {
    const tor = start("tor0-0");
    const taken = [0, 0, 0, 0];
    for (let port = 0; port < 400; port++) {
      taken[tor.play(1, segment("host0-0-0", "host0-1-0", 2000 + port))!.port - 3]!++;
      // The estimators forget.
      tor.wait(3000);
    }
    // A fair draw of 400 leaves these bounds once in 100,000 draws.
    for (const count of taken) expect(Math.abs(count - 100)).toBeLessThan(40);
  });
});

describe("feedback", () => {
  const events = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant("heard" as const), tag: fc.nat(3), metric }),
      fc.record({ kind: fc.constant("sent" as const) }),
    ),
    { maxLength: 60 },
  );

  it("returns in the order of the model", () => {
    fc.assert(
      fc.property(events, (drawn) => {
        const tor = start("tor0-0");
        const model = new Feedback(4);
        for (const event of drawn) {
          tor.wait(1);
          if (event.kind === "heard") {
            const { tag, metric: congestion } = event;
            tor.play(3, wrapped(segment("host0-1-0", "host0-0-0"), { rack: 1, tag, congestion }));
            model.heard(tag, congestion);
            continue;
          }
          const out = overlayOf(tor.play(1, segment("host0-0-0", "host0-1-0"))!.frame)!;
          const expected = model.next();
          expect([out.feedbackTag, out.feedback]).toEqual(
            expected === undefined ? [NONE, 0] : [expected.tag, expected.metric],
          );
        }
      }),
      { numRuns: 80 },
    );
  });
});
