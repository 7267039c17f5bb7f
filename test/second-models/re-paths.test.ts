/** Closed forms of re-paths, lost subflows, path control and failed buckets, against exact chains and counting. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomLoss } from "../../src/fabric/experiment/kinds/survival/index.js";
import {
  DRAWS_BESIDE_THE_OLD_PATH,
  DRAWS_BOTH_DIRECTIONS,
  LEAVES_FOR_SURE,
  leavesWhenDuplicated,
} from "../../src/fabric/schemes/closed-form.js";
import { bucketHops } from "../../src/fabric/schemes/repac/buckets.js";
import { changedHops, reachOf } from "../../src/fabric/schemes/repac/pathmap.js";
import { leavesAll, reachable, remappedShares } from "../models/control-bits.js";
import { ONE, sum, toNumber } from "../models/fraction.js";
import { geometric, meanTries, successAt, survival } from "../models/repath.js";

const CASE = { symmetric: true, oneSegment: true };

describe("tries after a failure", () => {
  it.each([2, 3, 4, 8])("are geometric where both directions are drawn: %i sites", (sites) => {
    const tries = DRAWS_BOTH_DIRECTIONS.tries({ ...CASE, sites })!;
    const chain = successAt({ sites, move: "random", receiver: "mirrors", copies: 1 }, 5);
    let recovered = 0;
    for (const [attempt, share] of chain.entries()) {
      expect(toNumber(share)).toBeCloseTo(toNumber(geometric(sites, 5)[attempt]!), 12);
      recovered += toNumber(share);
      expect(tries.recoveredAfter(attempt + 1)).toBeCloseTo(recovered, 12);
    }
    expect(tries.mean).toBeCloseTo(toNumber(meanTries(sites)), 12);
  });

  it("never succeed with one site, by any of the forms", () => {
    for (const form of [DRAWS_BOTH_DIRECTIONS, DRAWS_BESIDE_THE_OLD_PATH]) {
      const tries = form.tries({ ...CASE, sites: 1 })!;
      expect([tries.recoveredAfter(50), tries.atQuantile(0.5)]).toEqual([0, Number.POSITIVE_INFINITY]);
    }
    expect(LEAVES_FOR_SURE.tries({ ...CASE, sites: 1 })).toBeUndefined();
    expect(leavesWhenDuplicated(() => 0).tries({ ...CASE, sites: 1 })).toBeUndefined();
  });

  it.each([2, 3, 4, 8])("are one with two copies and offsets: %i sites", (sites) => {
    expect(successAt({ sites, move: "other", receiver: "mirrors", copies: 2 }, 1)).toEqual([ONE]);
    expect(LEAVES_FOR_SURE.tries({ ...CASE, sites })!.recoveredAfter(1)).toBe(1);
  });

  it.each([2, 3, 4, 8])("with one copy and offsets in PRR's roles follow the chain: %i sites", (sites) => {
    // A sender that has moved comes back with its second move by chance: 1 / (N - 1).
    const tries = leavesWhenDuplicated((n) => 1 / (n - 1)).tries({ ...CASE, sites })!;
    const chain = successAt({ sites, move: "other", receiver: "duplicates", copies: 1 }, 3);
    // The chain takes the flows whose both directions failed as failed at once; the closed form lets half of their data arrive.
    const shares = chain.map(toNumber);
    const both = 1 / (2 * sites - 1);
    expect(tries.recoveredAfter(1)).toBeGreaterThanOrEqual(shares[0]! - 1e-12);
    expect(tries.recoveredAfter(1)).toBeLessThanOrEqual(shares[0]! + both + 1e-12);
    expect(tries.recoveredAfter(3)).toBeCloseTo(1, 12);
  });

  it("of subflows: random ones are all lost as often as the closed form says, distinct ones never from three on", () => {
    for (const [sites, flows] of [
      [2, 4],
      [4, 4],
      [8, 2],
    ] as const)
      expect(1 - toNumber(survival(sites, flows, false))).toBeCloseTo(randomLoss(sites, flows), 12);
    expect(survival(4, 3, true)).toEqual(ONE);
    expect(toNumber(survival(2, 2, true))).toBe(0.5);
  });
});

describe("path control", () => {
  const hops = fc.array(
    fc.record({
      bits: fc.integer({ min: 1, max: 3 }),
      offsets: fc.array(fc.nat(7), { minLength: 6, maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 4 },
  );

  it("reaches 2^rank paths and leaves every hop by the same changes, also where some hop never changes", () => {
    fc.assert(
      fc.property(hops, (drawn) => {
        const own = drawn.map(({ bits, offsets }) => ({
          bits,
          offsets: offsets.map((offset) => offset % 2 ** bits),
        }));
        const map = {
          control: { field: "dscp" as const, fieldBits: 0, portBits: 6 },
          buckets: 8,
          hops: own.map(({ bits, offsets }, i) => ({ hop: `hop ${i}`, offsets, sizes: [2 ** bits] })),
        };
        const { paths, reached } = reachOf(map);
        expect(paths).toBe(2 ** own.reduce((all, { bits }) => all + bits, 0));
        expect(BigInt(reached)).toBe(reachable(own));
        const changed = changedHops(map);
        const all = [...changed.keys()].filter((change) => changed[change] === own.length);
        expect(all).toEqual(leavesAll(own));
      }),
    );
  });

  it("deals the buckets of failed next hops evenly, and moves no other", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(2, 4, 8, 16),
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat(7), { maxLength: 4 }),
        (buckets, count, drawn) => {
          fc.pre(count <= buckets);
          const failed = [...new Set(drawn.map((hop) => hop % count))];
          fc.pre(failed.length < count);
          const own = Array.from({ length: buckets }, (_, bucket) => bucket % count);
          const found = bucketHops(buckets, count, new Set(failed));
          const wanted = remappedShares(own, failed, count);
          const shares = wanted.map((_, hop) =>
            found.reduce(
              (all, list) => all + list.filter((one) => one === hop).length / list.length / buckets,
              0,
            ),
          );
          for (const [hop, share] of shares.entries()) expect(share).toBeCloseTo(wanted[hop]!, 12);
          for (const [bucket, hop] of own.entries())
            if (!failed.includes(hop)) expect(found[bucket]).toEqual([hop]);
        },
      ),
    );
  });

  it("sums to one", () => {
    expect(
      toNumber(sum(successAt({ sites: 3, move: "random", receiver: "mirrors", copies: 2 }, 30))),
    ).toBeCloseTo(1, 9);
  });
});
