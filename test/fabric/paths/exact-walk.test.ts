/** Routes that selectors name, against all selectors followed one by one. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import {
  ExactWalker,
  emptyFlows,
  FlowTracer,
  LOCAL,
  MAX_LINKS,
  type PathModel,
  type PortChoice,
  RouteFinder,
} from "../../../src/fabric/paths/index.js";
import { hostsOf, type Topology, withLinksDown } from "../../../src/fabric/topology/index.js";
import { build } from "../topology/load.js";
import { follow, HASHES, plainModel, randomNetwork } from "./model-walk.js";

/** Bits of the selectors that the choices of these tests read. */
const SELECTORS = 2 ** 7;

/** One port; rows of one port each, all different, with bits of the selector that other switches may use too; or rows that hashes read. */
function randomChoice(random: Random, ports: readonly number[]): PortChoice {
  const all = random.shuffle([...ports]);
  if (all.length === 1 || random.int(3) === 0) return { hash: 0, seed: 0, rows: [[all[0]!]] };
  const width = all.length > 4 ? random.int(2) + 1 : 1;
  const size = 2 ** width;
  const rows: number[][] = all.slice(0, size).map((port) => [port]);
  while (rows.length < size) rows.push([rows[0]![0]!, rows[1]![0]!]);
  const kind = random.int(4);
  // A row of several ports names none of them, and no value of the slice reads a row beyond the last one.
  if (kind === 0) rows[random.int(size)] = [all[0]!, all[1]!];
  if (kind === 1) rows.push([all.at(-1)!]);
  return { hash: 0, seed: 0, rows, slice: { low: random.int(6), width } };
}

/** The routes of all selectors along which every choice reads a row of one port, as texts, each once. */
function namedRoutes(topology: Topology, model: PathModel, source: number, destination: number) {
  const routes = new Map<string, { selector: number; nic: number; rows: (readonly number[])[] }>();
  for (const nic of topology.nodes[source]!.ports.keys()) {
    if (topology.down?.has(topology.nodes[source]!.ports[nic]!.link)) continue;
    for (let selector = 0; selector < SELECTORS; selector++) {
      const flow = { source, destination, nic, selector, version: 4, protocol: 6 } as const;
      const found = follow(topology, model, { ...flow, sourcePort: 0, destinationPort: 0 });
      const key = found.links.join(" ");
      if (found.arrived && found.hops.every(({ row }) => row.length === 1) && !routes.has(key))
        routes.set(key, { selector, nic, rows: found.hops.map(({ row }) => Array.from(row)) });
    }
  }
  return routes;
}

describe("in a random network whose rows have different ports", () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    "all routes are those of all selectors, and each has a selector that names it (seed %i)",
    (seed) => {
      const random = new Random(seed);
      const whole = randomNetwork(random);
      const down = Array.from({ length: seed % 3 }, () => random.int(whole.links.length));
      const topology = withLinksDown(whole, down);
      const model = plainModel(topology, random, (ports) => randomChoice(random, ports));
      const walker = new ExactWalker(topology, model);
      const hosts = hostsOf(topology);
      for (const source of hosts)
        for (const destination of hosts) {
          if (source === destination) continue;
          const wanted = namedRoutes(topology, model, source.index, destination.index);
          const routes = walker.all(source.index, destination.index);
          expect(routes.map(({ links }) => links.join(" ")).sort()).toEqual([...wanted.keys()].sort());
          for (const { links, nic, selector, switches, ...ends } of routes) {
            expect(ends).toEqual({ source: source.index, destination: destination.index });
            const flow = { ...ends, nic, selector, version: 4, protocol: 6 } as const;
            const found = follow(topology, model, { ...flow, sourcePort: 0, destinationPort: 0 });
            expect(found.links).toEqual(links);
            expect(switches).toEqual(links.slice(1).map((link) => tailOf(topology, link)));
            // The walk that takes the same links finds the same route.
            let hop = 0;
            const walked = walker.walk(ends.source, ends.destination, nic, (next) =>
              next.indexOf(links[++hop]!),
            );
            expect(walked?.links).toEqual(links);
          }
        }
    },
  );
});

const tailOf = ({ links }: Topology, link: number) => {
  const { a, b } = links[link >> 1]!;
  return link % 2 === 0 ? a.node : b.node;
};

/** Two hosts at either end of three parallel links between s and t. */
const network = build({
  kind: "graph",
  nodes: [
    ...["s", "t"].map((name) => ({ name, role: "switch" as const })),
    ...["x", "y"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    ...Array.from({ length: 3 }, () => ({ a: "s", b: "t" })),
    { a: "x", b: "s" },
    { a: "y", b: "t" },
    { a: "y", b: "t" },
  ],
});
const [s, t, x, y] = network.nodes.map(({ index }) => index) as [number, number, number, number];

/** The network with one choice at s for the hosts of t. */
const modelWith = (rows: readonly (readonly number[])[], width?: number, low = 0): PathModel => ({
  hashes: HASHES,
  switches: [
    {
      node: s,
      classes: 1,
      next: Int32Array.from(network.racks, ({ switches }) => (switches.includes(s) ? LOCAL : 0)),
      choices: [{ hash: 0, seed: 0, rows, ...(width === undefined ? {} : { slice: { low, width } }) }],
    },
    { node: t, classes: 1, next: Int32Array.from(network.racks, () => LOCAL), choices: [] },
  ],
});

describe("a choice of a port", () => {
  it.each<[string, boolean, readonly (readonly number[])[], number?]>([
    ["has one slot", true, [[2]]],
    ["has one port in all slots", true, [[2, 2, 2]]],
    ["has two ports without rows", false, [[1, 2]]],
    ["has a row for each port", true, [[1], [2], [3], [1]], 2],
    ["has a row for each port behind that of all ports", true, [[1, 2, 3], [1], [2], [3]], 2],
    ["has no row for the last port", false, [[1, 2, 3], [1], [2], [1, 2]], 2],
    ["has the row of the last port beyond the values of the selector", false, [[1, 2], [1], [2]], 1],
    ["has ports that only a row of several ports has", false, [[1], [2, 3]], 1],
  ])("which %s, is exact: %s", (_, exact, rows, width) => {
    expect(new ExactWalker(network, modelWith(rows, width)).isExact).toBe(exact);
  });

  it("names one route for each port, with the lowest row of it", () => {
    const routes = new ExactWalker(network, modelWith([[1, 2], [3], [2], [3]], 2, 4)).all(x, y);
    expect(routes.map(({ selector, links }) => [selector, links[1]])).toEqual([
      [16, 4],
      [32, 2],
    ]);
    expect(new ExactWalker(network, modelWith([[1, 2, 3]])).all(x, y)).toEqual([]);
  });

  it("leads over the links of its rows of one port, for packets to other racks", () => {
    const walker = new ExactWalker(network, modelWith([[1, 2], [3], [2], [3]], 2));
    const [here, there] = [x, y].map((host) => network.nodes[host]!.host!.rack) as [number, number];
    expect([0, 2, 4].map((link) => walker.leads(s, link, there))).toEqual([false, true, true]);
    expect([0, 2, 4].map((link) => walker.leads(s, link, here))).toEqual([false, false, false]);
    expect(walker.leads(x, 6, there)).toBe(false);
  });

  it("the last link is the first one to the host that is up", () => {
    const links = (topology: Topology) =>
      new ExactWalker(topology, modelWith([[1]])).all(x, y).map((route) => route.links.at(-1)! >> 1);
    expect(links(network)).toEqual([4]);
    expect(links({ ...network, down: new Set([4]) })).toEqual([5]);
    expect(links({ ...network, down: new Set([4, 5]) })).toEqual([]);
    expect(links({ ...network, down: new Set([3]) })).toEqual([]);
  });

  it("a flow too takes the first link to the host that is up, or does not arrive", () => {
    const flows = emptyFlows(1);
    [flows.source[0], flows.destination[0]] = [x, y];
    const last = (topology: Topology) => {
      const out = new Int32Array(MAX_LINKS);
      const count = new FlowTracer(topology, modelWith([[1]])).of(flows).linksOf(0, out);
      return count < 0 ? count : out[count - 1]! >> 1;
    };
    expect([[], [4], [4, 5]].map((down) => last({ ...network, down: new Set(down) }))).toEqual([4, 5, -1]);
  });

  it("a route from each link is found by the finder, or none where no row names the link", () => {
    const finder = new RouteFinder(network, new ExactWalker(network, modelWith([[1, 2], [3], [2], [3]], 2)));
    const through = (link: number) => finder.through(link, new Random(1))?.links[1];
    // Directed links 1, 3 and 5 lead from t to s, which has no choice for them.
    expect([0, 1, 2, 3, 4, 5].map(through)).toEqual([undefined, undefined, 2, undefined, 4, undefined]);
  });
});
