/** Dahu's switches in the flow simulator by the rules of sections 3, 4 and 7: when they deroute, what they count, what feedback does. */
import { describe, expect, it } from "vitest";
import {
  type GroupPlan,
  groupsOfNextHops,
  oneGroup,
} from "../../../../src/fabric/schemes/dahu/fluid/group-plan.js";
import { DahuRouter, type DahuSettings } from "../../../../src/fabric/schemes/dahu/fluid/router.js";
import type { PortTraffic } from "../../../../src/fabric/schemes/dahu/policy/allocation.js";
import type { Rebalancing } from "../../../../src/fabric/schemes/dahu/policy/epoch.js";
import { Distances, type EpochTraffic, FlowNetwork } from "../../../../src/fabric/sim/flow/index.js";
import {
  buildTopology,
  type Topology,
  topologySchema,
  withLinksDown,
} from "../../../../src/fabric/topology/index.js";

const LINK = { rate: "1Gbps", delay: "1us" };
/** Bytes per nanosecond of a link. */
const RATE = 1 / 8;
const EPOCH = 1e7;
const VIRTUAL_PORTS = 64;
const INITIAL = { count: VIRTUAL_PORTS, seed: 1 };
const hyperx = (...shape: number[]) =>
  buildTopology(
    topologySchema.parse({ kind: "hyperx", shape, hosts_per_switch: 1, host_link: LINK, fabric_link: LINK }),
  );
const grid = hyperx(4, 4);

/** What a switch handed to its balancing at the end of an epoch. */
interface Counted {
  readonly own: number;
  readonly traffic: PortTraffic;
}

/** A world of bundles 0, 1, ... from `from` to `to`, with other hash values. */
function world(
  topology: Topology,
  bundles: readonly { from: number; to: number }[],
  { threshold = 0.8, ...settings }: Partial<DahuSettings> & { threshold?: number } = {},
  planOf: (network: FlowNetwork, distances: Distances) => GroupPlan = (network) => oneGroup(network, INITIAL),
) {
  const network = new FlowNetwork(topology);
  const distances = new Distances(network);
  const plan = planOf(network, distances);
  const counted: Counted[] = [];
  const moves: { own: number; group: number; virtualPort: number; to: number }[] = [];
  const rebalancing = {
    rebalance(groups, traffic, moved) {
      const own = plan.groups.indexOf(groups);
      const copy = Object.fromEntries(Object.entries(traffic).map(([name, list]) => [name, list.slice()]));
      counted.push({ own, traffic: copy as unknown as PortTraffic });
      for (const { group, virtualPort, to } of moves.filter((move) => move.own === own)) {
        const from = groups.portOf(group, virtualPort);
        groups.remap(group, virtualPort, to);
        moved?.({ group, virtualPort, from, to });
      }
    },
  } as Pick<Rebalancing, "rebalance"> as Rebalancing;
  const policy = {
    network,
    distances,
    plan,
    settings: {
      deroutes: 1,
      rule: { threshold, offThreshold: threshold, offEpochs: 1 },
      virtualPorts: VIRTUAL_PORTS,
      feedback: false,
      countsVirtualPorts: false,
      propagationNs: 1e6,
      holdNs: 5e6,
      ...settings,
    },
    rebalancing,
    seed: 7,
  };
  const router = new DahuRouter(policy, {
    from: Int32Array.from(bundles, ({ from }) => from),
    to: Int32Array.from(bundles, ({ to }) => to),
    hash: Int32Array.from(bundles, (_, i) => Math.imul(i + 1, 0x9e3779b1)),
  });
  const out = new Int32Array(64);
  const pathOf = (bundle: number): number[] | undefined => {
    const count = router.linksOf(bundle, out);
    return count < 0 ? undefined : [...out.subarray(0, count)];
  };
  /** The switches and ports of a path, and whether each link leads nearer to the destination. */
  const hopsOf = (bundle: number) => {
    const links = pathOf(bundle)!;
    const distance = distances.to(bundles[bundle]!.to);
    let own = bundles[bundle]!.from;
    const hops = links.map((link) => {
      const at = network.portOfLink[link]!;
      const next = network.peer[at]!;
      const hop = {
        own,
        port: at - network.firstPort[own]!,
        next,
        derouted: distance[next]! >= distance[own]!,
      };
      own = next;
      return hop;
    });
    expect(own).toBe(bundles[bundle]!.to);
    return hops;
  };
  /** The path as a part of a larger list: behind it a link from the destination to a neighbour. */
  const inLargerList = (path: readonly number[], destination: number, bundle: number): Int32Array => {
    const first = network.firstPort[destination]!;
    const beyond = network.link[first + (bundle % Math.max(1, network.portsOf(destination)))] ?? 0;
    return Int32Array.from([beyond, ...path, beyond]);
  };
  /** Ends an epoch in which links carried these shares of their capacity, and each bundle so many bytes on its path. */
  let nowNs = 0;
  const endEpoch = (shares: (port: number) => number, bytes: (bundle: number) => number = () => 0) => {
    nowNs += EPOCH;
    const paths = bundles.map((_, bundle) => pathOf(bundle));
    const byLink = new Float64Array(network.capacity.length);
    for (const [port, link] of network.link.entries()) byLink[link] = shares(port) * RATE * EPOCH;
    const traffic: EpochTraffic = {
      nowNs,
      epochNs: EPOCH,
      byLink,
      eachBundle: (call) => {
        for (const [bundle, path] of paths.entries())
          if (path !== undefined && bytes(bundle) > 0)
            call(bundle, bytes(bundle), inLargerList(path, bundles[bundle]!.to, bundle), 1, 1 + path.length);
      },
    };
    counted.length = 0;
    return router.endEpoch(traffic);
  };
  return { network, distances, plan, router, pathOf, hopsOf, endEpoch, counted, moves };
}

const between = (from: number, to: number, count: number) =>
  Array.from({ length: count }, () => ({ from, to }));

describe("paths", () => {
  it("are shortest ones, and use all of them, while these have room", () => {
    const { hopsOf, distances, pathOf } = world(grid, between(0, 5, 200), { deroutes: 3 });
    expect(distances.to(5)[0]).toBe(2);
    const used = new Set<string>();
    for (let bundle = 0; bundle < 200; bundle++) {
      expect(hopsOf(bundle).some(({ derouted }) => derouted)).toBe(false);
      used.add(pathOf(bundle)!.join(" "));
    }
    expect(used.size).toBe(2);
  });

  it.each([0, 1, 2, 4])("have at most n deroutes under Dahu-n, and some have n: n = %i", (deroutes) => {
    const { hopsOf, endEpoch, router, distances } = world(grid, between(0, 5, 400), { deroutes });
    endEpoch(() => 1);
    const counts = Array.from(
      { length: 400 },
      (_, bundle) => hopsOf(bundle).filter((hop) => hop.derouted).length,
    );
    expect(Math.max(...counts)).toBe(deroutes);
    expect(router.maxLinks).toBe(distances.diameter() + 2 * deroutes);
  });

  it("never go back by the port by which they came", () => {
    const { hopsOf, endEpoch } = world(grid, between(0, 5, 400), { deroutes: 4 });
    endEpoch(() => 1);
    for (let bundle = 0; bundle < 400; bundle++) {
      const hops = hopsOf(bundle);
      for (const [i, { next }] of hops.entries()) if (i > 0) expect(next).not.toBe(hops[i - 1]!.own);
    }
  });

  it("deroute where the ports of shortest paths together reach the threshold, and nowhere else (figure 4)", () => {
    const bundles = between(0, 5, 300);
    const ends = world(grid, bundles);
    const shortest = [...Array(6).keys()].filter(
      (port) => ends.distances.to(5)[ends.network.peer[port]!]! < ends.distances.to(5)[0]!,
    );
    const derouting = (shares: readonly number[], threshold = 0.8) => {
      const { endEpoch, hopsOf } = world(grid, bundles, { threshold });
      // The other ports of the switch are full, those of other switches empty.
      endEpoch((port) => (port > 5 ? 0 : (shares[shortest.indexOf(port)] ?? 1)));
      return bundles.some((_, bundle) => hopsOf(bundle)[0]!.derouted);
    };
    expect(derouting([1, 0.5])).toBe(false);
    expect(derouting([1, 0.625])).toBe(true);
    expect(derouting([0.5, 0.25], 0.5)).toBe(false);
    expect(derouting([0.5, 0.5], 0.5)).toBe(true);
    expect(derouting([0, 0], 0)).toBe(true);
  });

  it("derouted ones use every port of the switch", () => {
    const { hopsOf, endEpoch } = world(grid, between(0, 5, 400));
    endEpoch((port) => (port < 6 ? 1 : 0));
    const ports = Array<number>(6).fill(0);
    for (let bundle = 0; bundle < 400; bundle++) ports[hopsOf(bundle)[0]!.port]!++;
    // By virtual ports, of which each port has a sixth: 67 on average.
    expect(Math.min(...ports)).toBeGreaterThan(30);
  });

  it("end where no link leads on", () => {
    const topology = hyperx(2);
    const cut = topology.links.findIndex(
      ({ a, b }) => topology.nodes[a.node]!.role !== "host" && topology.nodes[b.node]!.role !== "host",
    );
    expect(world(withLinksDown(topology, [cut]), between(0, 1, 1)).pathOf(0)).toBeUndefined();
    expect(world(topology, between(0, 1, 1)).pathOf(0)).toHaveLength(1);
  });

  it("depend on the seeds of switches: the choice at one switch says nothing about the next", () => {
    // Two choices of two ports each: three links apart.
    const { hopsOf } = world(hyperx(2, 2, 2), between(0, 7, 400));
    const seen = new Map<string, number>();
    for (let bundle = 0; bundle < 400; bundle++) {
      const key = hopsOf(bundle)
        .map(({ next }) => next)
        .join(" ");
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    expect(seen.size).toBe(6);
    for (const count of seen.values()) expect(count).toBeGreaterThan(30);
  });

  it("are right where switches have more ports than a word has bits", () => {
    const { hopsOf, endEpoch, network } = world(hyperx(40), between(0, 39, 300));
    expect(network.portsOf(0)).toBe(39);
    expect(hopsOf(0)).toMatchObject([{ next: 39 }]);
    endEpoch((port) => (network.peer[port] === 39 && port < 39 ? 0.79 : 0));
    for (let bundle = 0; bundle < 300; bundle++) expect(hopsOf(bundle)).toHaveLength(1);
    endEpoch((port) => (network.peer[port] === 39 && port < 39 ? 0.8 : 0));
    const vias = new Set(Array.from({ length: 300 }, (_, bundle) => hopsOf(bundle)[0]!.next));
    expect(vias.size).toBeGreaterThan(33);
  });
});

describe("at the end of an epoch", () => {
  const someBundles = [
    ...between(0, 5, 20),
    ...between(3, 5, 20),
    ...between(10, 0, 20),
    ...between(1, 1, 1),
  ];
  const bytesOf = (bundle: number) => 1000 + 7 * bundle;
  const sum = (list: Iterable<number>) => [...list].reduce((a, b) => a + b, 0);

  it("a switch gets the rates of its own ports, and of its groups from the bundles", () => {
    const made = world(grid, someBundles, {}, (network, distances) =>
      groupsOfNextHops(network, distances, INITIAL, () => undefined),
    );
    const { network, plan, hopsOf, counted } = made;
    const shares = (port: number) => port / 1000;
    expect(made.endEpoch(shares, bytesOf)).toBe(true);
    expect(counted.map(({ own }) => own)).toEqual([...Array(16).keys()]);
    for (const { own, traffic } of counted) {
      const first = network.firstPort[own]!;
      expect([...traffic.byPort]).toEqual(
        Array.from({ length: 6 }, (_, port) => expect.closeTo(shares(first + port) * RATE, 12)),
      );
      const groups = plan.groups[own]!;
      const wanted = new Float64Array(groups.groups * groups.ports);
      for (const [bundle, { to }] of someBundles.entries())
        for (const hop of hopsOf(bundle))
          if (hop.own === own)
            wanted[plan.groupOf(own, to) * groups.ports + hop.port]! += bytesOf(bundle) / EPOCH;
      expect([...traffic.byGroup]).toEqual([...wanted].map((rate) => expect.closeTo(rate, 12)));
      expect(traffic.byVirtualPort).toBeUndefined();
    }
    // Again, from the start: nothing of an earlier epoch is left.
    made.endEpoch(shares, () => 0);
    expect(sum(counted.flatMap(({ traffic }) => [...traffic.byGroup]))).toBe(0);
  });

  it("a single group has the traffic of the ports", () => {
    const made = world(grid, someBundles);
    made.endEpoch((port) => port / 1000, bytesOf);
    for (const { traffic } of made.counted) expect(traffic.byGroup).toEqual(traffic.byPort);
  });

  it.each([
    ["one group, without deroutes", 0, 0.8],
    ["one group, with deroutes everywhere", 2, 0],
  ])("counts each bundle at the virtual ports that lead it: %s", (_name, deroutes, threshold) => {
    const made = world(grid, someBundles, { countsVirtualPorts: true, deroutes, threshold });
    const { plan, hopsOf, counted } = made;
    made.endEpoch(() => 0, bytesOf);
    let some = 0;
    for (const { own, traffic } of counted) {
      const groups = plan.groups[own]!;
      const byPort = Array<number>(groups.ports).fill(0);
      for (const [at, rate] of traffic.byVirtualPort!.entries()) byPort[groups.map[at]!]! += rate;
      const wanted = Array<number>(groups.ports).fill(0);
      for (const bundle of someBundles.keys())
        for (const hop of hopsOf(bundle)) if (hop.own === own) wanted[hop.port]! += bytesOf(bundle) / EPOCH;
      // All but the few that none of 32 tries finds a virtual port for: at most one of these.
      for (const port of byPort.keys()) {
        expect(byPort[port]).toBeLessThanOrEqual(wanted[port]! + 1e-12);
        expect(byPort[port]).toBeGreaterThanOrEqual(0.9 * wanted[port]!);
      }
      some += sum(byPort);
    }
    expect(some).toBeGreaterThan(0);
    made.endEpoch(() => 0);
    expect(sum(counted.flatMap(({ traffic }) => [...traffic.byVirtualPort!]))).toBe(0);
  });

  it("a remapped virtual port moves its own bundles and no others", () => {
    const bundles = between(0, 5, 60);
    const made = world(grid, bundles, { countsVirtualPorts: true, deroutes: 0 });
    const { hopsOf, counted, plan, moves } = made;
    const before = bundles.map((_, bundle) => hopsOf(bundle)[0]!.port);
    // One bundle alone, to learn its virtual port.
    made.endEpoch(
      () => 0,
      (bundle) => (bundle === 3 ? 1000 : 0),
    );
    const byVirtualPort = counted[0]!.traffic.byVirtualPort!;
    const taken = byVirtualPort.findIndex((rate) => rate > 0);
    expect(byVirtualPort[taken]).toBeCloseTo(1000 / EPOCH, 12);
    expect(sum(byVirtualPort)).toBeCloseTo(1000 / EPOCH, 12);
    // All that take it, one after the other.
    const users = bundles.map((_, one) => {
      made.endEpoch(
        () => 0,
        (bundle) => (bundle === one ? 1000 : 0),
      );
      return counted[0]!.traffic.byVirtualPort![taken]! > 0;
    });
    const [here] = [before[3]!];
    const there = before.find((port) => port !== here)!;
    moves.push({ own: 0, group: 0, virtualPort: taken, to: there });
    made.endEpoch(() => 0);
    expect(plan.groups[0]!.portOf(0, taken)).toBe(there);
    expect(users[3]).toBe(true);
    for (const bundle of bundles.keys())
      expect(hopsOf(bundle)[0]!.port).toBe(users[bundle] ? there : before[bundle]);
  });

  it("a bundle that keeps an older path is not counted", () => {
    const bundles = between(0, 5, 1);
    const made = world(grid, bundles, { countsVirtualPorts: true, deroutes: 0 });
    const { hopsOf, counted, network } = made;
    const [first, second] = hopsOf(0);
    const other = [...Array(6).keys()].find(
      (port) => port !== first!.port && made.distances.to(5)[network.peer[port]!]! < made.distances.to(5)[0]!,
    )!;
    const via = network.peer[other]!;
    const last = [...Array(6).keys()].find((port) => network.peer[network.firstPort[via]! + port] === 5)!;
    expect(second!.next).toBe(5);
    const path = [network.link[other]!, network.link[network.firstPort[via]! + last]!];
    made.router.endEpoch({
      nowNs: EPOCH,
      epochNs: EPOCH,
      byLink: new Float64Array(network.capacity.length),
      eachBundle: (call) => call(0, 1000, Int32Array.from(path), 0, 2),
    });
    expect(sum(counted[0]!.traffic.byVirtualPort!)).toBe(0);
    // Behind the old choice its way is the one that it would take.
    expect(sum(counted[via]!.traffic.byVirtualPort!)).toBeCloseTo(1000 / EPOCH, 12);
  });
});

describe("hysteresis of the rule of figure 4", () => {
  const bundles = between(0, 5, 300);
  /** Whether bundles are derouted at the first switch after epochs in which its ports carried these shares. */
  const derouting = (rule: { offThreshold: number; offEpochs: number }, shares: readonly number[]) => {
    const { endEpoch, hopsOf } = world(grid, bundles, { rule: { threshold: 0.8, ...rule } });
    return shares.map((share) => {
      endEpoch((port) => (port > 5 ? 0 : share));
      return bundles.some((_, bundle) => hopsOf(bundle)[0]!.derouted);
    });
  };
  const shares = [0.7, 0.8, 0.7, 0.5, 0.79, 0.9, 0.4, 0.4, 0.7, 0.4];

  it("without hysteresis: as the last epoch was", () => {
    expect(derouting({ offThreshold: 0.8, offEpochs: 1 }, shares)).toEqual(shares.map((one) => one >= 0.8));
  });

  it("with an off-threshold: until the utilisation is below it", () => {
    const wanted = [false, true, true, false, false, true, false, false, false, false];
    expect(derouting({ offThreshold: 0.6, offEpochs: 1 }, shares)).toEqual(wanted);
  });

  it("with two epochs: until the utilisation is below it in two of them in sequence", () => {
    const wanted = [false, true, true, true, true, true, true, false, false, false];
    expect(derouting({ offThreshold: 0.6, offEpochs: 2 }, shares)).toEqual(wanted);
  });
});

describe("feedback (section 7)", () => {
  const bundles = between(0, 5, 300);
  /** Switches with full shortest paths to the destination: 0, and the given ones. */
  const full =
    (network: FlowNetwork, ...own: number[]) =>
    (port: number) =>
      [0, ...own].some((one) => port >= network.firstPort[one]! && port < network.firstPort[one + 1]!)
        ? 1
        : 0;

  it("from a switch whose own shortest paths are full keeps deroutes for the destination from it", () => {
    const made = world(grid, bundles, { feedback: true, deroutes: 1 });
    const { network, hopsOf } = made;
    made.endEpoch(full(network));
    const derouted = () =>
      new Map(bundles.flatMap((_, i) => (hopsOf(i)[0]!.derouted ? [[i, hopsOf(i)[0]!.next]] : [])));
    const before = derouted();
    const vias = [...new Set(before.values())];
    expect(vias.length).toBe(4);
    const [refusing] = vias as [number];
    // It is full, and gets derouted traffic: it answers.
    made.endEpoch(full(network, refusing), () => 100);
    expect([...derouted().values()]).not.toContain(refusing);
    expect(new Set(derouted().values()).size).toBe(3);
    // 5 ms later, before the next epoch ends, the others deroute there again, if nothing was sent meanwhile.
    made.endEpoch(full(network, refusing));
    expect(derouted()).toEqual(before);
  });

  it.each([
    ["without derouted traffic", false, true],
    ["while it has room", true, false],
  ])("is not given %s", (_name, sends, isFull) => {
    const made = world(grid, bundles, { feedback: true, deroutes: 1 });
    const { network, hopsOf } = made;
    made.endEpoch(full(network));
    const vias = () => bundles.map((_, bundle) => hopsOf(bundle)[0]!.next);
    const before = vias();
    const via = before[bundles.findIndex((_, i) => hopsOf(i)[0]!.derouted)]!;
    made.endEpoch(full(network, ...(isFull ? [via] : [])), (bundle) =>
      sends || !hopsOf(bundle)[0]!.derouted ? 100 : 0,
    );
    expect(vias()).toEqual(before);
  });

  it("is without effect where it is switched off", () => {
    const made = world(grid, bundles, { deroutes: 1 });
    const { network, hopsOf } = made;
    made.endEpoch(full(network));
    const vias = () => bundles.map((_, bundle) => hopsOf(bundle)[0]!.next);
    const before = vias();
    made.endEpoch(full(network, ...new Set(before)), () => 100);
    expect(vias()).toEqual(before);
  });

  it("leaves shortest paths alone", () => {
    const made = world(grid, bundles, { feedback: true, deroutes: 1 });
    const { network, hopsOf, distances } = made;
    made.endEpoch(full(network));
    const others = [...new Set(bundles.map((_, i) => hopsOf(i)[0]!.next))];
    made.endEpoch(full(network, ...others), () => 100);
    for (const bundle of bundles.keys()) {
      const [hop] = hopsOf(bundle);
      expect(hop!.derouted).toBe(false);
      expect(distances.to(5)[hop!.next]).toBe(1);
    }
  });
});
