/** Rates by additive increase and multiplicative decrease, round trip by round trip: a segment of 1000 bytes in 1000 ns is 1 byte per ns. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Aimd } from "../../../../src/fabric/sim/flow/aimd.js";
import { Bundles } from "../../../../src/fabric/sim/flow/bundles.js";

const ROUND_NS = 1000;
const SETTINGS = { roundTripNs: ROUND_NS, segmentBytes: 1000, seed: 1 };

/** A bundle with these resources on its path. */
function add(
  bundles: Bundles,
  path: readonly number[],
  weight = 1,
  limit = Number.POSITIVE_INFINITY,
): number {
  const bundle = bundles.add();
  bundles.weight[bundle] = weight;
  bundles.limit[bundle] = limit;
  bundles.path.set(path, bundle * bundles.stride);
  bundles.length[bundle] = path.length;
  return bundle;
}

/** One bundle alone; its mean rate in each step with this number of rounds. */
function alone(capacity: number, steps: readonly number[], weight = 1, limit?: number): number[] {
  const bundles = new Bundles(2);
  const bundle = add(bundles, [0], weight, limit);
  const aimd = new Aimd(Float64Array.of(capacity), SETTINGS);
  return steps.map((rounds) => {
    aimd.allocate(bundles, rounds * ROUND_NS);
    return bundles.rate[bundle]!;
  });
}

describe("a flow alone", () => {
  it("doubles its rate each round from one segment on", () => {
    expect(alone(1000, [1, 1, 1, 4])).toEqual([1, 2, 4, (8 + 16 + 32 + 64) / 4]);
  });

  it("has a round in each step, however short", () => {
    expect(alone(1000, [0.1, 0.4, 1.4, 1.6])).toEqual([1, 2, 4, (8 + 16) / 2]);
  });

  it("asks for no more than its limit", () => {
    expect(alone(1000, [1, 1, 1, 1, 1], 1, 5)).toEqual([1, 2, 4, 5, 5]);
  });

  it("halves its rate at twice the capacity for certain, and adds a segment a round from then on", () => {
    const capacity = Float64Array.of(16);
    const bundles = new Bundles(2);
    const bundle = add(bundles, [0]);
    const aimd = new Aimd(capacity, SETTINGS);
    const next = (rounds: number) => {
      aimd.allocate(bundles, rounds * ROUND_NS);
      return bundles.rate[bundle];
    };
    expect([next(4), next(1)]).toEqual([(1 + 2 + 4 + 8) / 4, 16]);
    // It asks for 32, gets 16, and asks for 16 next.
    expect(next(1)).toBe(16);
    capacity[0] = 1000;
    expect([next(1), next(1), next(1)]).toEqual([16, 17, 18]);
  });

  it("gets its share of what there is where it asks for more", () => {
    expect(alone(16, [1, 1, 1], 16)).toEqual([1, 1, 1]);
  });

  it("never asks for less than a segment a round", () => {
    expect(alone(0.25, [1, 1, 1])).toEqual([0.25, 0.25, 0.25]);
    const capacity = Float64Array.of(0.25);
    const bundles = new Bundles(2);
    const bundle = add(bundles, [0]);
    const aimd = new Aimd(capacity, SETTINGS);
    const next = () => {
      aimd.allocate(bundles, ROUND_NS);
      return bundles.rate[bundle];
    };
    expect([next(), next(), next()]).toEqual([0.25, 0.25, 0.25]);
    // Four losses in a row: one segment a round is what it still asks for.
    capacity[0] = 1000;
    expect([next(), next(), next()]).toEqual([1, 2, 3]);
  });

  it("counts as many flows as its weight says", () => {
    expect(alone(6, [1, 1, 1], 3)).toEqual([1, 2, 2]);
  });
});

describe("several flows", () => {
  it("begin slowly when they are new, and those without flows are left alone", () => {
    const bundles = new Bundles(2);
    const first = add(bundles, [0]);
    const aimd = new Aimd(Float64Array.of(1000, 1000), SETTINGS);
    aimd.allocate(bundles, 3 * ROUND_NS);
    const second = add(bundles, [1]);
    const none = add(bundles, [0], 0);
    bundles.rate[none] = 7;
    aimd.allocate(bundles, ROUND_NS);
    expect([first, second, none].map((bundle) => bundles.rate[bundle])).toEqual([8, 1, 7]);
    // Its flows have ended and others have come.
    bundles.rate[first] = 0;
    aimd.allocate(bundles, ROUND_NS);
    expect([first, second].map((bundle) => bundles.rate[bundle])).toEqual([1, 2]);
  });

  it("get what the tightest resource of their path leaves them", () => {
    const bundles = new Bundles(3);
    const both = add(bundles, [0, 1]);
    const other = add(bundles, [1]);
    const aimd = new Aimd(Float64Array.of(4, 1), SETTINGS);
    aimd.allocate(bundles, ROUND_NS);
    // Two ask for 1 where there is 1.
    expect([both, other].map((bundle) => bundles.rate[bundle])).toEqual([0.5, 0.5]);
  });

  it("never get more than a resource has, whatever they ask for; the same seed gives the same rates", () => {
    const flow = fc.record({
      weight: fc.integer({ min: 1, max: 9 }),
      path: fc.subarray([0, 1, 2], { minLength: 1 }),
    });
    fc.assert(
      fc.property(fc.array(flow, { minLength: 1, maxLength: 8 }), fc.integer(), (flows, seed) => {
        const capacity = Float64Array.of(10, 20, 40);
        const run = () => {
          const bundles = new Bundles(3);
          for (const { weight, path } of flows) add(bundles, path, weight);
          const aimd = new Aimd(capacity, { ...SETTINGS, seed });
          for (let step = 0; step < 6; step++) aimd.allocate(bundles, 4 * ROUND_NS);
          return bundles.rate.slice(0, flows.length);
        };
        const rates = run();
        for (const [resource, most] of capacity.entries()) {
          const used = flows.reduce(
            (sum, { weight, path }, i) => sum + (path.includes(resource) ? weight * rates[i]! : 0),
            0,
          );
          expect(used).toBeLessThanOrEqual(most * (1 + 1e-9));
        }
        expect(run()).toEqual(rates);
      }),
      { numRuns: 40 },
    );
  });

  it("lose as many as bring the load back to the capacity: a share of 2 (1 - capacity / load)", () => {
    // 4000 flows in slow start ask for 1.25 times the capacity: 40 % of them are halved, the others double their rates.
    const bundles = new Bundles(1);
    const own = Array.from({ length: 4000 }, () => add(bundles, [0]));
    const aimd = new Aimd(Float64Array.of(3200), SETTINGS);
    aimd.allocate(bundles, ROUND_NS);
    for (const bundle of own) expect(bundles.rate[bundle]).toBeCloseTo(0.8, 12);
    aimd.allocate(bundles, ROUND_NS);
    const least = Math.min(...own.map((bundle) => bundles.rate[bundle]!));
    const halved = own.filter((bundle) => bundles.rate[bundle]! < 1.5 * least).length;
    expect(Math.abs(halved / 4000 - 0.4)).toBeLessThan(4 * Math.sqrt((0.4 * 0.6) / 4000));
  });
});
