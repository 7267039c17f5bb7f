/** Runs of the flow simulator: closed forms of single links, conservation, and equal results for equal seeds. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { ecmpFlowSim as ecmp } from "../../../../src/fabric/schemes/ecmp/flow-sim.js";
import {
  Distances,
  type FlowFigures,
  FlowNetwork,
  type FlowRun,
  type FlowStart,
  MaxMin,
  simulateFlows,
} from "../../../../src/fabric/sim/flow/index.js";
import {
  buildTopology,
  hostsOf,
  offsetDimensions,
  type TopologyInput,
  topologySchema,
} from "../../../../src/fabric/topology/index.js";

const GBPS = { rate: "1Gbps", delay: "1us" } as const;

const networkOf = (input: TopologyInput) => new FlowNetwork(buildTopology(topologySchema.parse(input)));

const hyperx = (shape: number[], hosts: number) =>
  networkOf({ kind: "hyperx", shape, hosts_per_switch: hosts, host_link: GBPS, fabric_link: GBPS });

/** Two switches with one link between them. */
const pair = (hosts: number) => hyperx([2], hosts);

function run(
  network: FlowNetwork,
  flows: readonly FlowStart[],
  settings: Partial<FlowRun> = {},
): FlowFigures {
  const steps = simulateFlows({
    network,
    makeRouter: ecmp.router(network, {}, 1),
    allocator: new MaxMin(network.capacity),
    flows: [...flows].sort((a, b) => a.startNs - b.startNs)[Symbol.iterator](),
    durationNs: 1e9,
    warmUpNs: 0,
    epochNs: 1e7,
    stepNs: 1e6,
    subflows: 1,
    random: new Random(1),
    ...settings,
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const hosts = (network: FlowNetwork) => hostsOf(network.topology).map(({ index }) => index);
const racks = (network: FlowNetwork) => network.topology.racks.map((rack) => rack.hosts);

/** Poisson arrivals of exponential sizes from the first rack to the second. */
function* poisson(network: FlowNetwork, load: number, mean: number, seed: number): Generator<FlowStart> {
  const random = new Random(seed);
  const [from, to] = racks(network) as [number[], number[]];
  const gap = mean / (load * 0.125);
  for (let startNs = random.exponential(gap); ; startNs += random.exponential(gap))
    yield {
      startNs,
      source: random.pick(from),
      destination: random.pick(to),
      bytes: random.exponential(mean),
    };
}

describe("distances", () => {
  it("are the numbers of offset dimensions in a HyperX", () => {
    const network = hyperx([3, 2, 4], 1);
    const distances = new Distances(network);
    const { nodes } = network.topology;
    for (const [a, from] of network.nodeOf.entries())
      for (const [b, to] of network.nodeOf.entries())
        expect(distances.to(b)[a]).toBe(offsetDimensions(nodes[from]!, nodes[to]!).length);
    expect(distances.diameter()).toBe(3);
  });
});

describe.each([
  ["flows with paths of their own", {}],
  ["flows in bundles", { buckets: 16 }],
])("%s", (_name, mode) => {
  it("alone have the rate of their NIC, and end in time", () => {
    const network = pair(2);
    const [[a], [b]] = racks(network) as [number[], number[]];
    const flows = [{ startNs: 0, source: a!, destination: b!, bytes: 1_250_000 }];
    const { completion, deliveredBytes, open, flows: admitted } = run(network, flows, mode);
    expect(completion.max / 1e6).toBeCloseTo(10, 6);
    expect([deliveredBytes, open, admitted]).toEqual([1_250_000, 0, 1]);
  });

  it("share a link equally until one ends", () => {
    const network = pair(2);
    const [[a, b], [c, d]] = racks(network) as [number[], number[]];
    const flows = [
      { startNs: 0, source: a!, destination: c!, bytes: 1_250_000 },
      { startNs: 0, source: b!, destination: d!, bytes: 2_500_000 },
    ];
    const { completion } = run(network, flows, mode);
    // Both get half until the first ends after 20 ms; the second has 10 ms of the whole link left.
    expect(completion.min / 1e6).toBeCloseTo(20, 6);
    expect(completion.max / 1e6).toBeCloseTo(30, 6);
  });

  it("of a busy link take as long as processor sharing says: the mean time alone, over 1 - load", () => {
    const network = pair(40);
    const load = 0.6;
    const mean = 125_000;
    const flows = poisson(network, load, mean, 5);
    const { completion, deliveredBytes, offeredBytes } = run(network, [], {
      ...mode,
      flows,
      durationNs: 40e9,
      warmUpNs: 1e9,
      stepNs: 1e5,
    });
    expect(completion.mean / (mean / 0.125 / (1 - load))).toBeCloseTo(1, 1);
    expect(deliveredBytes / offeredBytes).toBeCloseTo(1, 2);
  });

  it("of an overloaded link fill it, and no more", () => {
    const network = pair(40);
    const flows = poisson(network, 3, 1e5, 6);
    const { deliveredBytes, measuredNs, utilisation, meanLinks } = run(network, [], {
      ...mode,
      flows,
      durationNs: 3e8,
      warmUpNs: 1e8,
    });
    expect(deliveredBytes / measuredNs / 0.125).toBeCloseTo(1, 2);
    expect([...utilisation].sort()[1]).toBeCloseTo(1, 2);
    expect(meanLinks).toBeCloseTo(1, 9);
  });

  it("give the same figures for the same seed", () => {
    const network = hyperx([3, 3], 2);
    const all = hosts(network);
    const draw = new Random(9);
    const flows = Array.from({ length: 400 }, (_, i) => {
      const [source, destination] = draw.shuffle([...all]) as [number, number];
      return { startNs: i * 1e6, source, destination, bytes: 1 + draw.int(5_000_000) };
    });
    const [one, two] = [run(network, flows, mode), run(network, flows, mode)];
    expect(JSON.stringify(two)).toBe(JSON.stringify(one));
    expect(one.completion.count + one.open).toBe(one.flows);
    const delivered = one.epochs.reduce((sum, bytes) => sum + bytes, 0);
    expect(delivered).toBeCloseTo(one.deliveredBytes, 3);
  });
});

describe("figures", () => {
  /** 10 ms of the link, beginning at a time in ms. */
  const flow = (network: FlowNetwork, atMs: number, bytes = 1_250_000): FlowStart => {
    const [[source], [destination]] = racks(network) as [number[], number[]];
    return { startNs: atMs * 1e6, source: source!, destination: destination!, bytes };
  };

  it("leave out what came before the end of the warm-up", () => {
    const network = pair(1);
    const flows = [0, 100, 300].map((at) => flow(network, at));
    const figures = run(network, flows, { warmUpNs: 2e8, durationNs: 5e8 });
    expect(figures).toMatchObject({
      flows: 3,
      open: 0,
      mostOpen: 1,
      measuredNs: 3e8,
      offeredBytes: 1_250_000,
    });
    expect([figures.deliveredBytes, figures.completion.count]).toEqual([1_250_000, 1]);
    // One link there and none back: 10 of 300 ms.
    expect([...figures.utilisation].sort()[1]).toBeCloseTo(1 / 30, 12);
    expect([...figures.utilisation].sort()[0]).toBe(0);
    expect(figures.epochs).toHaveLength(50);
    expect(figures.epochs.flatMap((bytes, i) => (bytes > 0 ? [i] : []))).toEqual([0, 10, 30]);
    expect(figures.meanLinks).toBe(1);
  });

  it("count a flow that ends after the warm-up, though it began before, and not one that ends with it", () => {
    const network = pair(1);
    const ended = (atMs: number) => run(network, [flow(network, atMs)], { warmUpNs: 2e8 }).completion.count;
    expect([ended(190), ended(191)]).toEqual([0, 1]);
  });

  it("have no offered bytes for flows without an end", () => {
    const network = pair(1);
    const figures = run(network, [flow(network, 0, Number.POSITIVE_INFINITY)], { durationNs: 1e8 });
    expect(figures).toMatchObject({ offeredBytes: 0, open: 1, flows: 1 });
    expect(figures.deliveredBytes).toBeCloseTo(0.125 * 1e8, 3);
  });

  it("are 0 where nothing is measured", () => {
    const network = pair(1);
    const figures = run(network, [flow(network, 0)], { warmUpNs: 2e8, durationNs: 2e8 });
    expect(figures).toMatchObject({ measuredNs: 0, deliveredBytes: 0, meanLinks: 0, open: 0 });
    expect([...figures.utilisation]).toEqual([0, 0]);
  });

  it("admit a flow in the step whose beginning is nearest", () => {
    const network = pair(1);
    const completion = (startMs: number) =>
      run(network, [flow(network, startMs)]).epochs.findIndex((bytes) => bytes > 0);
    expect([completion(9.4), completion(9.5)]).toEqual([0, 1]);
  });

  it("count the time of a flow from the step that admitted it", () => {
    const network = pair(1);
    for (const mode of [{}, { buckets: 4 }]) {
      const { completion } = run(network, [flow(network, 40)], mode);
      expect([completion.count, completion.max / 1e6]).toEqual([1, expect.closeTo(10, 6)]);
    }
  });

  it("never ask for more than the slower one of two NICs gives, nor than is left", () => {
    const rates = { h0: "1Gbps", h1: "4Gbps", h2: "10Gbps" } as const;
    const network = networkOf({
      kind: "graph",
      nodes: [
        { name: "s", role: "switch" },
        ...Object.keys(rates).map((name) => ({ name, role: "host" as const })),
      ],
      links: Object.entries(rates).map(([a, rate]) => ({ a, b: "s", rate, delay: "1us" })),
    });
    const [h0, h1, h2] = hosts(network) as [number, number, number];
    /** Bytes per nanosecond that the flow may get in each step of 1 ms. */
    const limits = (source: number, destination: number, mode: Partial<FlowRun>) => {
      const seen: number[] = [];
      const allocate: FlowRun["allocator"]["allocate"] = ({ limit, weight, rate, size }) => {
        for (let bundle = 0; bundle < size; bundle++) {
          if (weight[bundle] === 0) continue;
          seen.push(limit[bundle]!);
          rate[bundle] = limit[bundle]!;
        }
      };
      run(network, [{ startNs: 0, source, destination, bytes: 1_200_000 }], {
        ...mode,
        allocator: { allocate },
      });
      return seen.map((limit) => Number(limit.toFixed(9)));
    };
    for (const mode of [{}, { buckets: 1 }]) {
      expect(limits(h0, h1, mode)).toEqual([...Array(9).fill(0.125), 0.075]);
      expect(limits(h1, h0, mode)).toEqual([...Array(9).fill(0.125), 0.075]);
      expect(limits(h1, h2, mode)).toEqual([0.5, 0.5, 0.2]);
      expect(limits(h2, h1, mode)).toEqual([0.5, 0.5, 0.2]);
    }
  });

  it("limit one flow of a bundle to what it has left, and several to their NICs", () => {
    const network = pair(2);
    const [[a, b], [c, d]] = racks(network) as [number[], number[]];
    const seen: [number, number][] = [];
    const allocator: FlowRun["allocator"] = {
      allocate: ({ limit, weight, rate, size }) => {
        for (let bundle = 0; bundle < size; bundle++) {
          if (weight[bundle] === 0) continue;
          seen.push([weight[bundle]!, Number(limit[bundle]!.toFixed(9))]);
          rate[bundle] = limit[bundle]! / weight[bundle]!;
        }
      },
    };
    const flows = [
      { startNs: 0, source: a!, destination: c!, bytes: 62_500 },
      { startNs: 0, source: b!, destination: d!, bytes: 100_000 },
    ];
    run(network, flows, { buckets: 1, allocator });
    // Both have half of the link for a step of 1 ms: 62,500 bytes each. Then 37,500 bytes are left.
    expect(seen).toEqual([
      [2, 0.125],
      [1, 0.0375],
    ]);
  });

  it("count moved flows only where flows follow the routes", () => {
    const network = pair(2);
    expect(run(network, [flow(network, 0)], { keepPaths: true, buckets: 4 }).moved).toBe(0);
  });
});

describe("subflows", () => {
  it("of one flow take one share of a link that all meet", () => {
    const network = pair(2);
    const [[a, b], [c, d]] = racks(network) as [number[], number[]];
    const flows = [
      { startNs: 0, source: a!, destination: c!, bytes: 1_250_000 },
      { startNs: 0, source: b!, destination: d!, bytes: 2_500_000 },
    ];
    const { completion } = run(network, flows, { subflows: 4 });
    expect(completion.min / 1e6).toBeCloseTo(20, 6);
    expect(completion.max / 1e6).toBeCloseTo(30, 6);
  });

  it("of one flow end within the step in which they have sent all its bytes together", () => {
    const network = pair(2);
    const [[a], [b]] = racks(network) as [number[], number[]];
    const flows = [{ startNs: 0, source: a!, destination: b!, bytes: 62_500 }];
    // Each subflow may carry the whole flow, and the NIC sends 62,500 bytes in half a step of 1 ms.
    expect(run(network, flows, { subflows: 4 }).completion.max / 1e6).toBeCloseTo(0.5, 9);
    expect(run(network, flows, { subflows: 1 }).completion.max / 1e6).toBeCloseTo(1, 9);
  });

  it("fill the paths of a HyperX that one path cannot", () => {
    // Two dimensions: two shortest paths of 1 Gbps between opposite switches, for two senders.
    const network = hyperx([2, 2], 2);
    const [from, , , to] = racks(network) as [number[], number[], number[], number[]];
    const flows = [0, 1].map((i) => ({
      startNs: 0,
      source: from[i]!,
      destination: to[i]!,
      bytes: Number.POSITIVE_INFINITY,
    }));
    const { deliveredBytes, measuredNs } = run(network, flows, { subflows: 32 });
    expect(deliveredBytes / measuredNs / 0.125).toBeGreaterThan(1.9);
  });
});

describe("a network", () => {
  it("knows for each port of a switch the port at the other end", () => {
    const network = hyperx([3, 2], 1);
    const { firstPort, peer, peerPort, link, portOfLink, switches } = network;
    for (let own = 0; own < switches; own++)
      for (let port = firstPort[own]!; port < firstPort[own + 1]!; port++) {
        const back = firstPort[peer[port]!]! + peerPort[port]!;
        expect([peer[back], peerPort[back]]).toEqual([own, port - firstPort[own]!]);
        expect(link[back]! ^ 1).toBe(link[port]);
        expect(portOfLink[link[port]!]).toBe(port);
      }
    expect(network.portsOf(0)).toBe(3);
  });

  it("gives the hosts of a rack together what their NICs give", () => {
    const network = pair(3);
    for (const rack of [0, 1])
      expect(
        [network.rackSends(rack), network.rackReceives(rack)].map((resource) => network.capacity[resource]),
      ).toEqual([0.375, 0.375]);
  });

  it("of hosts with two NICs is refused at the key", () => {
    const spec = topologySchema.parse({ kind: "leaf_spine", tors: 2, leaves: 2 });
    expect(() => new FlowNetwork(buildTopology(spec))).toThrow("the flow simulator supports hosts with one");
  });
});

describe("a router that changes its paths after 100 ms", () => {
  /** Bytes that the two ways between opposite switches of a square have carried, first and second, in units of a whole run at the NIC's rate. */
  function ways(settings: Partial<FlowRun>): { shares: number[]; moved: number } {
    const network = hyperx([2, 2], 2);
    const [from, , , to] = racks(network) as [number[], number[], number[], number[]];
    const distances = new Distances(network);
    let way = 0;
    const makeRouter: FlowRun["makeRouter"] = (bundles) => ({
      maxLinks: 2,
      linksOf: (bundle, links) => {
        let own = bundles.from[bundle]!;
        for (let hop = 0; hop < 2; hop++) {
          const near: number[] = [];
          for (let port = network.firstPort[own]!; port < network.firstPort[own + 1]!; port++)
            if (distances.to(bundles.to[bundle]!)[network.peer[port]!]! === 1 - hop) near.push(port);
          const port = near[Math.min(way, near.length - 1)]!;
          links[hop] = network.link[port]!;
          own = network.peer[port]!;
        }
        return 2;
      },
      endEpoch: ({ nowNs }) => {
        if (nowNs !== 1e8) return false;
        way = 1;
        return true;
      },
    });
    const flows = [0, 2e8].map((startNs, i) => ({
      startNs,
      source: from[i]!,
      destination: to[i]!,
      bytes: Number.POSITIVE_INFINITY,
    }));
    const { utilisation, moved } = run(network, flows, { makeRouter, durationNs: 4e8, ...settings });
    return { shares: [...new Set([...utilisation].map((share) => Number(share.toFixed(6))))].sort(), moved };
  }

  it("moves flows that follow it", () => {
    // The first flow has the first way for 100 of 400 ms; then it has the second way alone, and both share that from 200 ms on.
    const followed = { shares: [0, 0.25, 0.75], moved: 1 };
    expect(ways({})).toEqual(followed);
    expect(ways({ buckets: 1 })).toEqual(followed);
  });

  it("leaves flows that keep their paths, and gives later ones the path of their time", () => {
    // The first flow has its way for the whole run, the second the other one for half of it.
    expect(ways({ buckets: 1, keepPaths: true })).toEqual({ shares: [0, 0.5, 1], moved: 0 });
    expect(ways({ keepPaths: true })).toEqual({ shares: [0, 0.5, 1], moved: 0 });
  });

  it("need not say anything at the end of an epoch", () => {
    const network = pair(1);
    const [[source], [destination]] = racks(network) as [number[], number[]];
    const makeRouter: FlowRun["makeRouter"] = () => ({
      maxLinks: 1,
      linksOf: (_bundle, links) => {
        links[0] = network.fabricLinks[0]!;
        return 1;
      },
    });
    const flows = [{ startNs: 0, source: source!, destination: destination!, bytes: 1_250_000 }];
    expect(run(network, flows, { makeRouter }).completion.max / 1e6).toBeCloseTo(10, 6);
  });
});
