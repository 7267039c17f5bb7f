import { describe, expect, it } from "vitest";
import { flowletsByAge, flowletsByTime } from "./flowlets.js";
import { equal, fraction, ONE, sum, toNumber } from "./fraction.js";
import { type Colour, Rfc2698, Rfc4115 } from "./meters.js";
import { geometric, meanTries, successAt, survival } from "./repath.js";

describe("re-paths", () => {
  it("has the paper's geometric tries: 4, 1.78 and 1.03 for 2, 4 and 64 sites", () => {
    expect([2, 4, 64].map((n) => toNumber(meanTries(n)).toFixed(2))).toEqual(["4.00", "1.78", "1.03"]);
    for (const sites of [2, 4, 8]) {
      const tries = geometric(sites, 80);
      const mean = tries.reduce((all, p, k) => all + toNumber(p) * (k + 1), 0);
      expect(mean).toBeCloseTo(toNumber(meanTries(sites)), 6);
      expect(toNumber(sum(tries))).toBeCloseTo(1, 8);
    }
  });

  it("is that law exactly when both ends draw anew with each try", () => {
    for (const sites of [2, 3, 8]) {
      const chain = successAt({ sites, move: "random", receiver: "mirrors", copies: 1 }, 6);
      expect(chain.every((p, k) => equal(p, geometric(sites, 6)[k]!))).toBe(true);
    }
  });

  it("always leaves at the first try with two copies and offsets", () => {
    for (const sites of [2, 3, 8])
      expect(successAt({ sites, move: "other", receiver: "mirrors", copies: 2 }, 1)).toEqual([ONE]);
  });

  it("never recovers all flows of two sites that move together with one copy", () => {
    // 1/3 failed in both directions and leave with the first try; the others swap the failed direction for ever.
    const chain = successAt({ sites: 2, move: "next", receiver: "mirrors", copies: 1 }, 40);
    expect(sum(chain)).toEqual(fraction(1, 3));
  });

  it("is stuck when the receiver keeps a failed way back", () => {
    const chain = successAt({ sites: 2, move: "random", receiver: "keeps", copies: 1 }, 60);
    expect(toNumber(sum(chain))).toBeCloseTo(1 / 3, 9);
  });

  it("loses more with one copy than with two", () => {
    for (const move of ["random", "other"] as const)
      for (const sites of [2, 4, 8]) {
        const share = (copies: 1 | 2) =>
          toNumber(successAt({ sites, move, receiver: "mirrors", copies }, 1)[0]!);
        expect(share(1)).toBeLessThan(share(2));
      }
  });

  it("has the survival of subflows", () => {
    expect(survival(2, 4, false)).toEqual(fraction(256 - 81, 256));
    for (const [sites, flows] of [
      [4, 2],
      [4, 3],
      [3, 1],
    ] as const) {
      // All choices of distinct sites there and back, counted.
      const draws = (left: number, used: number[]): number[][] =>
        left === 0
          ? [used]
          : Array.from({ length: sites }, (_, site) => site)
              .filter((site) => !used.includes(site))
              .flatMap((site) => draws(left - 1, [...used, site]));
      const ways = draws(flows, []);
      const alive = ways.flatMap((there) =>
        ways.map((back) => there.some((site, flow) => site !== 0 && back[flow] !== 0)),
      );
      expect(survival(sites, flows, true)).toEqual(fraction(alive.filter(Boolean).length, alive.length));
    }
  });
});

describe("meters", () => {
  const rates = { committed: 1000n, second: 2000n, committedBurst: 1000n, secondBurst: 2000n };
  const colours = (meter: Rfc2698 | Rfc4115, packets: readonly [bigint, bigint, Colour?][]): Colour[] =>
    packets.map(([at, bytes, colour]) => meter.meter(at, bytes, colour));

  it("follow RFC 2698: peak first, and green takes from both buckets", () => {
    expect(
      colours(new Rfc2698(rates), [
        [0n, 1000n],
        [0n, 1000n],
        [0n, 1n],
        [1_000_000n, 1n],
        [1_000_000n, 1n],
      ]),
    ).toEqual(["green", "yellow", "red", "green", "yellow"]);
    expect(
      colours(new Rfc2698(rates), [
        [0n, 10n, "yellow"],
        [0n, 10n, "red"],
        [0n, 1000n],
      ]),
    ).toEqual(["yellow", "red", "green"]);
  });

  it("follow RFC 4115: green takes from one bucket, so both bursts pass", () => {
    expect(
      colours(new Rfc4115(rates), [
        [0n, 1000n],
        [0n, 2000n],
        [0n, 1n],
      ]),
    ).toEqual(["green", "yellow", "red"]);
    expect(
      colours(new Rfc4115(rates), [
        [0n, 10n, "red"],
        [0n, 1000n, "yellow"],
        [0n, 1000n],
      ]),
    ).toEqual(["red", "yellow", "green"]);
  });
});

describe("flowlets", () => {
  it("split after a gap, a flow by itself", () => {
    const packets = [0, 50, 99, 200, 301].map((at) => ({ at, flow: "a" }));
    expect(flowletsByTime(packets, 100)).toEqual([0, 0, 0, 1, 2]);
    expect(
      flowletsByTime(
        [
          { at: 0, flow: "a" },
          { at: 500, flow: "b" },
          { at: 100, flow: "a" },
        ],
        100,
      ),
    ).toEqual([0, 0, 0]);
  });

  it("split between one and two periods with age bits", () => {
    const pair = (first: number, gap: number) =>
      flowletsByAge(
        [first, first + gap].map((at) => ({ at, flow: "a" })),
        100,
      )[1];
    for (const first of [0, 30, 99]) expect([pair(first, 99), pair(first, 200)]).toEqual([0, 1]);
    expect([pair(1, 150), pair(99, 150)]).toEqual([0, 1]);
  });
});
