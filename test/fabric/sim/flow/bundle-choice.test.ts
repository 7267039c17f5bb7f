/** Which flows are one bundle, what a bundle's path is, and when it changes, with routers that the test makes. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { ActiveBundles } from "../../../../src/fabric/sim/flow/active-bundles.js";
import { FlowsByHash } from "../../../../src/fabric/sim/flow/flows-by-hash.js";
import { FlowsByPath } from "../../../../src/fabric/sim/flow/flows-by-path.js";
import { FlowNetwork, type FlowStart, type RouterMaker } from "../../../../src/fabric/sim/flow/index.js";
import { buildTopology, topologySchema } from "../../../../src/fabric/topology/index.js";

const LINK = { rate: "1Gbps", delay: "1us" };
const network = new FlowNetwork(
  buildTopology(
    topologySchema.parse({
      kind: "hyperx",
      shape: [2, 2],
      hosts_per_switch: 1,
      host_link: LINK,
      fabric_link: LINK,
    }),
  ),
);

/** A flow between the first hosts of two racks. */
const flow = (from: number, to: number): FlowStart => {
  const [source, destination] = [from, to].map((rack) => network.topology.racks[rack]!.hosts[0]!);
  return { startNs: 0, source: source!, destination: destination!, bytes: 1 };
};

/** Two links, of which the second is one of `ways`, by the flow's hash; `shift.by` moves all to others. */
function router(ways: number, shift = { by: 0 }): RouterMaker {
  return (bundles) => ({
    maxLinks: 2,
    linksOf: (bundle, links) => {
      links[0] = 0;
      links[1] = 1 + (((bundles.hash[bundle]! >>> 0) + shift.by) % ways);
      return 2;
    },
  });
}

const linksOf = ({ bundles }: ActiveBundles, bundle: number) => [
  ...bundles.path.subarray(bundle * bundles.stride, bundle * bundles.stride + bundles.length[bundle]!),
];

describe("bundles by path", () => {
  const make = (ways: number) => {
    const active = new ActiveBundles(network, router(ways), true);
    const choice = new FlowsByPath(active, 1 << 20, new Random(1));
    const made: number[] = [];
    const come = (from: number, to: number) => {
      const chosen = new Int32Array(1);
      choice.choose([flow(from, to)], chosen, (bundle) => {
        made.push(bundle);
        active.start(bundle, 1);
      });
      return chosen[0]!;
    };
    return { active, choice, made, come };
  };

  it("are one for each pair of racks and path", () => {
    const { active, made, come } = make(4);
    const of = (from: number, to: number) => new Set(Array.from({ length: 100 }, () => come(from, to)));
    const [there, back, elsewhere] = [of(0, 1), of(1, 0), of(0, 2)];
    expect([there.size, back.size, elsewhere.size]).toEqual([4, 4, 4]);
    expect(new Set(made).size).toBe(12);
    expect(made).toHaveLength(12);
    const ends = (from: number, to: number) => [network.rackSends(from), network.rackReceives(to)];
    expect([...there].map((bundle) => linksOf(active, bundle)).sort()).toEqual(
      [1, 2, 3, 4].map((way) => [...ends(0, 1), 0, way]),
    );
    expect([...back].map((bundle) => linksOf(active, bundle)).sort()).toEqual(
      [1, 2, 3, 4].map((way) => [...ends(1, 0), 0, way]),
    );
    expect(network.rackReceives(1)).toBe(network.rackSends(1) + 1);
  });

  it("are the same for flows that come together and for flows that come one by one", () => {
    const flows = Array.from({ length: 300 }, (_, i) => flow(i % 3, 3));
    const together = make(5);
    const chosen = new Int32Array(300);
    together.choice.choose(flows, chosen, (bundle) => together.active.start(bundle, 1));
    const single = make(5);
    const ways = ({ active }: typeof single, bundle: number) => linksOf(active, bundle).join();
    expect([...chosen].map((bundle) => ways(together, bundle))).toEqual(
      flows.map((_, i) => ways(single, single.come(i % 3, 3))),
    );
    expect(new Set(chosen).size).toBe(15);
  });

  it("are found again among more paths than the table began with", () => {
    const ways = 9000;
    const { active, made, come } = make(ways);
    const byWay = new Map<number, number>();
    for (let i = 0; i < 20_000; i++) {
      const bundle = come(0, 1);
      const way = linksOf(active, bundle)[3]!;
      expect(byWay.get(way) ?? bundle).toBe(bundle);
      byWay.set(way, bundle);
    }
    expect(byWay.size).toBeGreaterThan(5000);
    expect(made).toHaveLength(byWay.size);
  });

  it("are made again after their last flow has ended, and others with the same hash chain stay", () => {
    const { active, choice, made, come } = make(9000);
    const all = new Map<number, number>();
    for (let i = 0; i < 6000; i++) {
      const bundle = come(0, 1);
      all.set(linksOf(active, bundle)[3]!, bundle);
    }
    const dropped = new Set<number>();
    for (const [way, bundle] of all)
      if (way % 2 === 0) {
        active.end(bundle);
        choice.drop(bundle);
        dropped.add(way);
      }
    made.length = 0;
    for (let i = 0; i < 6000; i++) {
      const bundle = come(0, 1);
      const way = linksOf(active, bundle)[3]!;
      if (!all.has(way)) continue;
      if (dropped.has(way)) expect(bundle).not.toBe(all.get(way));
      else expect(bundle).toBe(all.get(way));
    }
    expect(made.length).toBeGreaterThan(0);
  });
});

describe("bundles by hash", () => {
  it("are as many for each pair of racks as there are buckets, each with a hash of its own", () => {
    const active = new ActiveBundles(network, router(1000));
    const choice = new FlowsByHash(active, 8, new Random(1));
    const of = (from: number, to: number) => {
      const chosen = new Int32Array(400);
      choice.choose(new Array<FlowStart>(400).fill(flow(from, to)), chosen, () => {});
      return new Set(chosen);
    };
    const all = [of(0, 1), of(1, 0), of(2, 3), of(3, 2)];
    expect(all.map(({ size }) => size)).toEqual([8, 8, 8, 8]);
    const together = new Set(all.flatMap((one) => [...one]));
    expect(together.size).toBe(32);
    expect(new Set([...together].map((bundle) => active.bundles.hash[bundle])).size).toBe(32);
  });
});

describe("active bundles", () => {
  const SHIFTED = { moved: 3 };

  function begin(keepPaths: boolean) {
    const shift = { by: 0 };
    const active = new ActiveBundles(network, router(4, shift), keepPaths);
    const [one, two] = [0, 1].map((hash) => {
      const bundle = active.add(network.rackSends(0), network.rackReceives(1), 0, 1);
      active.bundles.hash[bundle] = hash;
      return bundle;
    }) as [number, number];
    active.start(one, 3);
    return { shift, active, one, two };
  }

  it("take another path after an epoch in which routes changed, and count their flows as moved", () => {
    const { shift, active, one, two } = begin(false);
    expect([active.count, linksOf(active, one).slice(2)]).toEqual([1, [0, 1]]);
    const version = active.bundles.version[one]!;
    shift.by = 1;
    active.endEpoch(false);
    expect(linksOf(active, one).slice(2)).toEqual([0, 1]);
    active.endEpoch(true);
    expect(linksOf(active, one).slice(2)).toEqual([0, 2]);
    expect(active).toMatchObject(SHIFTED);
    expect(active.bundles.version[one]).toBe(version + 1);
    // The same path again is no change.
    active.endEpoch(true);
    expect([active.moved, active.bundles.version[one]]).toEqual([3, version + 1]);
    // A bundle without flows has no path, and its first one is no change.
    expect(active.bundles.length[two]).toBe(2);
    active.start(two, 1);
    expect([active.count, active.moved, linksOf(active, two).slice(2)]).toEqual([2, 3, [0, 3]]);
    active.end(one);
    expect([active.count, active.bundles.weight[one]]).toEqual([1, 0]);
  });

  it("that keep their paths keep them", () => {
    const { shift, active, one } = begin(true);
    shift.by = 1;
    active.endEpoch(true);
    expect([active.moved, linksOf(active, one).slice(2)]).toEqual([0, [0, 1]]);
  });

  it("report what each has sent in an epoch by its links, and reset it at the end", () => {
    const { active, one, two } = begin(false);
    active.start(two, 1);
    const sent = () => {
      const list: [number, number, number[]][] = [];
      active.eachSender((bundle, bytes, links, from, end) =>
        list.push([bundle, bytes, [...links.slice(from, end)]]),
      );
      return list;
    };
    active.sent(one, 10);
    active.sent(two, 5);
    active.sent(one, 1);
    expect(sent()).toEqual([
      [one, 11, [0, 1]],
      [two, 5, [0, 2]],
    ]);
    active.endEpoch(false);
    expect(sent()).toEqual([]);
    active.sent(two, 2);
    expect(sent()).toEqual([[two, 2, [0, 2]]]);
  });

  it("give the number of a removed bundle away after the epoch", () => {
    const { active, one } = begin(false);
    const next = () => active.add(network.rackSends(0), network.rackReceives(1), 0, 1);
    active.end(one);
    active.remove(one);
    expect(next()).not.toBe(one);
    active.endEpoch(false);
    expect(next()).toBe(one);
    expect(next()).not.toBe(one);
  });

  it("keep count of more senders than the list began with", () => {
    const active = new ActiveBundles(network, router(4));
    const first = active.add(network.rackSends(0), network.rackReceives(1), 0, 1, 3000);
    for (let i = 0; i < 3000; i++) active.sent(first + i, 1 + i);
    let [count, bytes] = [0, 0];
    active.eachSender((_, own) => {
      count++;
      bytes += own;
    });
    expect([count, bytes]).toEqual([3000, (3000 * 3001) / 2]);
  });
});
