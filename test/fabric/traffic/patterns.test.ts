/** Who sends to whom: permutations are permutations, strides are exact, draws follow their weights, shares between racks hold. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import { hostPlaces, type PairSpec, spreadOf } from "../../../src/fabric/traffic/index.js";
import { AliasTable } from "../../../src/fabric/traffic/patterns/matrix.js";
import { drawn, leafSpine, open, part } from "./flows.js";

const topology = leafSpine(4, 4);
const places = hostPlaces(topology);
const index = new Map(places.map(({ host }, i) => [host, i]));

/** Flows by the positions of their ends among the hosts. */
function pairs(pattern: PairSpec, flows: number, of = topology, seed = 1): [number, number][] {
  const at = of === topology ? index : new Map(hostPlaces(of).map(({ host }, i) => [host, i]));
  return drawn(open(of, [part({ pattern })], { flows }, seed)).map(({ source, destination }) => [
    at.get(source)!,
    at.get(destination)!,
  ]);
}

function count<T extends string | number>(list: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

/** Chi-squared over equally likely outcomes, in standard deviations from its mean. */
function unevenness(counts: Iterable<number>, outcomes: number, total: number): number {
  const expected = total / outcomes;
  const seen = [...counts];
  const empty = (outcomes - seen.length) * expected;
  const chi = seen.reduce((sum, one) => sum + (one - expected) ** 2 / expected, empty);
  return (chi - (outcomes - 1)) / Math.sqrt(2 * (outcomes - 1));
}

describe("alias table", () => {
  it("draws in proportion to the weights, never a weight of 0", () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.nat(5), { minLength: 1, maxLength: 9 })
          .filter((weights) => weights.some((one) => one > 0)),
        fc.integer(),
        (weights, seed) => {
          const table = new AliasTable(weights);
          const random = new Random(seed);
          const sum = weights.reduce((a, b) => a + b);
          const draws = 3000;
          const counts = count(Array.from({ length: draws }, () => table.draw(random)));
          for (const [i, weight] of weights.entries()) {
            const share = weight / sum;
            const deviation = Math.sqrt(draws * share * (1 - share));
            expect(Math.abs((counts.get(i) ?? 0) - draws * share)).toBeLessThanOrEqual(5 * deviation);
          }
        },
      ),
    );
  });
});

describe("stride", () => {
  it.each([1, 5, 15, 17, 33])("%i leads exactly so far, counted round", (stride) => {
    const flows = pairs({ kind: "stride", stride }, 400);
    for (const [from, to] of flows) expect(to).toBe((from + stride) % 16);
    expect(unevenness(count(flows.map(([from]) => from)).values(), 16, 400)).toBeLessThan(4);
  });

  it("knows what share goes between racks", () => {
    const share = (stride: number) =>
      spreadOf({ kind: "stride", stride }, topology, new Random(0)).interRackShare;
    // Of four hosts in a rack the last one leaves it.
    expect([share(1), share(3), share(4), share(15)]).toEqual([0.25, 0.75, 1, 0.25]);
  });
});

describe("permutation", () => {
  const partners = (seed: number, of = topology, hosts = 16) => {
    const to = new Map(pairs({ kind: "permutation" }, 60 * hosts, of, seed));
    return Array.from({ length: hosts }, (_, from) => to.get(from));
  };

  it("gives every host one partner to send to and one to receive from, never itself", () => {
    for (let seed = 0; seed < 30; seed++) {
      const to = partners(seed);
      expect([...to].sort((a, b) => a! - b!)).toEqual([...Array(16).keys()]);
      expect(to.some((one, from) => one === from)).toBe(false);
    }
  });

  it("is drawn from all permutations without fixed points, equally likely", () => {
    // Of four hosts there are nine: six cycles of all four, three pairs of pairs.
    const four = leafSpine(2, 2);
    const draws = Array.from({ length: 1800 }, (_, seed) => partners(seed, four, 4).join());
    const counts = count(draws);
    expect(counts.size).toBe(9);
    expect(unevenness(counts.values(), 9, 1800)).toBeLessThan(4);
  });

  it("of two hosts is the exchange", () => {
    expect(partners(1, leafSpine(1, 2), 2)).toEqual([1, 0]);
  });
});

describe("rack-local", () => {
  const rack = (host: number) => Math.floor(host / 4);

  it.each([0, 0.3, 1])(
    "with a share of %d keeps that share in the racks, with all partners equally likely",
    (share) => {
      const flows = pairs({ kind: "rack_local", share }, 24_000);
      const local = flows.filter(([from, to]) => rack(from) === rack(to));
      expect(Math.abs(local.length / 24_000 - share)).toBeLessThan(0.015);
      const keys = (list: typeof flows) => count(list.map((pair) => pair.join())).values();
      if (share > 0) expect(unevenness(keys(local), 16 * 3, local.length)).toBeLessThan(4);
      const far = flows.filter(([from, to]) => rack(from) !== rack(to));
      if (share < 1) expect(unevenness(keys(far), 16 * 12, far.length)).toBeLessThan(4);
      expect(spreadOf({ kind: "rack_local", share }, topology, new Random(0)).interRackShare).toBe(1 - share);
    },
  );
});

describe("matrix", () => {
  it("between racks draws cells by weight, and hosts of the racks equally", () => {
    const weights = new Float64Array(16);
    weights[0 * 4 + 1] = 3;
    weights[2 * 4 + 2] = 1;
    const pattern = { kind: "matrix", matrix: { size: 4, weights } } as const;
    const flows = pairs(pattern, 16_000);
    const between = flows.filter(([from]) => from < 4);
    expect(between.every(([, to]) => to >= 4 && to < 8)).toBe(true);
    expect(Math.abs(between.length / 16_000 - 0.75)).toBeLessThan(0.02);
    expect(unevenness(count(between.map((pair) => pair.join())).values(), 16, between.length)).toBeLessThan(
      4,
    );
    const inside = flows.filter(([from]) => from >= 4);
    expect(inside.every(([from, to]) => from >= 8 && from < 12 && to >= 8 && to < 12 && from !== to)).toBe(
      true,
    );
    expect(unevenness(count(inside.map((pair) => pair.join())).values(), 12, inside.length)).toBeLessThan(4);
    const spread = spreadOf(pattern, topology, new Random(0));
    expect(spread.interRackShare).toBe(0.75);
    expect(spread.senders.map(({ host }) => index.get(host))).toEqual([0, 1, 2, 3, 8, 9, 10, 11]);
    expect(spread.receivers.map(({ host }) => index.get(host))).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
    // The load is that of the eight hosts that send.
    expect(open(topology, [part({ pattern })]).offeredBps).toBeCloseTo(0.5 * 80e9, 0);
  });

  it("between hosts draws them by weight", () => {
    const weights = new Float64Array(256);
    weights[3 * 16 + 14] = 2;
    weights[7 * 16 + 0] = 1;
    const flows = pairs({ kind: "matrix", matrix: { size: 16, weights } }, 3000);
    const counts = count(flows.map((pair) => pair.join()));
    expect([...counts.keys()].sort()).toEqual(["3,14", "7,0"]);
    expect(Math.abs(counts.get("3,14")! - 2000)).toBeLessThan(120);
  });
});

describe("the share between racks", () => {
  it.each<[PairSpec]>([
    [{ kind: "all_to_all" }],
    [{ kind: "inter_rack" }],
    [{ kind: "rack_local", share: 0.25 }],
    [{ kind: "stride", stride: 2 }],
  ])("of %j is that of the flows that are drawn", (pattern) => {
    const { interRackShare } = spreadOf(pattern, topology, new Random(0));
    const flows = pairs(pattern, 20_000);
    const between = flows.filter(([from, to]) => from >> 2 !== to >> 2).length;
    expect(Math.abs(between / 20_000 - interRackShare)).toBeLessThan(0.015);
  });

  it("of permutations is that over many of them", () => {
    const { interRackShare } = spreadOf({ kind: "permutation" }, topology, new Random(0));
    let between = 0;
    for (let seed = 0; seed < 200; seed++)
      for (const [from, to] of pairs({ kind: "permutation" }, 50, topology, seed))
        if (from >> 2 !== to >> 2) between++;
    expect(Math.abs(between / 10_000 - interRackShare)).toBeLessThan(0.03);
  });

  it("of requests counts pairs of a client and a server beside it", () => {
    const hosts = places.map(({ host }) => host);
    const share = (clients: number[], servers: number[]) =>
      spreadOf({ kind: "requests", clients, servers, degree: 1, questionBytes: 0 }, topology, new Random(0))
        .interRackShare;
    expect(share([hosts[0]!], [hosts[1]!, hosts[4]!])).toBe(0.5);
    // The client itself is no server of its own.
    expect(share([hosts[0]!], [hosts[0]!, hosts[1]!, hosts[4]!])).toBe(0.5);
    expect(share([hosts[0]!, hosts[4]!], [hosts[1]!])).toBe(0.5);
  });
});
