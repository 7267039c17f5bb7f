import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  computeRoutes,
  hostsOf,
  nodeNamed,
  offsetDimensions,
  switchesOf,
  type Topology,
  type TopologyNode,
} from "../../../src/fabric/topology/index.js";
import { build } from "./load.js";

/** Links between switches, as the names of their ends. */
function fabric(topology: Topology): (readonly [TopologyNode, TopologyNode])[] {
  return topology.links
    .map(({ a, b }) => [topology.nodes[a.node]!, topology.nodes[b.node]!] as const)
    .filter(([a]) => a.role !== "host");
}

function switchDegrees(topology: Topology): number[] {
  return switchesOf(topology).map(
    ({ ports }) => ports.filter(({ peer }) => topology.nodes[peer]!.role !== "host").length,
  );
}

/** Links between a switch and all switches, by breadth-first search; -1 where there is no path. */
function distancesFrom(topology: Topology, start: number): number[] {
  const distances = topology.nodes.map(() => -1);
  distances[start] = 0;
  const queue = [start];
  for (const node of queue)
    for (const { peer } of topology.nodes[node]!.ports) {
      if (distances[peer]! >= 0 || topology.nodes[peer]!.role === "host") continue;
      distances[peer] = distances[node]! + 1;
      queue.push(peer);
    }
  return distances;
}

const diameterOf = (topology: Topology) =>
  Math.max(
    ...switchesOf(topology).map(({ index }) =>
      Math.max(...switchesOf(topology).map((peer) => distancesFrom(topology, index)[peer.index]!)),
    ),
  );

describe("a flattened butterfly", () => {
  it.each([
    [2, 2],
    [4, 2],
    [3, 3],
    [2, 4],
  ])("of %i ports and %i stages is the HyperX of its closed forms", (k, n) => {
    const topology = build({ kind: "flattened_butterfly", k, n });
    // Section 2.1 of the paper: k^n hosts at k^(n - 1) switches, each with (n - 1)(k - 1) links to others.
    expect(hostsOf(topology)).toHaveLength(k ** n);
    expect(switchesOf(topology)).toHaveLength(k ** (n - 1));
    expect(new Set(switchDegrees(topology))).toEqual(new Set([(n - 1) * (k - 1)]));
    expect(fabric(topology)).toHaveLength((k ** (n - 1) * (n - 1) * (k - 1)) / 2);
    expect(diameterOf(topology)).toBe(n - 1);
    const shape = new Array<number>(n - 1).fill(k);
    const same = build({ kind: "hyperx", shape, hosts_per_switch: k });
    expect(topology.links).toEqual(same.links);
  });
});

describe("a Dragonfly", () => {
  it("has one link between each pair of a h + 1 groups, all switches of a group joined, and three links at most on a path", () => {
    for (const [a, h] of [
      [2, 1],
      [4, 2],
      [3, 3],
    ] as const) {
      const topology = build({
        kind: "dragonfly",
        switches_per_group: a,
        global_links: h,
        hosts_per_switch: 1,
      });
      const groups = a * h + 1;
      expect(switchesOf(topology)).toHaveLength(a * groups);
      expect(new Set(switchDegrees(topology))).toEqual(new Set([a - 1 + h]));
      const pairs = fabric(topology).map(([x, y]) => [x.pod!, y.pod!].sort((p, q) => p - q).join(" "));
      for (let i = 0; i < groups; i++)
        for (let j = i; j < groups; j++)
          expect(pairs.filter((pair) => pair === `${i} ${j}`)).toHaveLength(i === j ? (a * (a - 1)) / 2 : 1);
      expect(diameterOf(topology)).toBe(3);
    }
  });

  it("divides the global links of fewer groups evenly, and no switch has more than its own", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(1000),
        (a, h, draw) => {
          const groups = 2 + (draw % (a * h));
          const topology = build({
            kind: "dragonfly",
            switches_per_group: a,
            global_links: h,
            groups,
            hosts_per_switch: 1,
          });
          const global = fabric(topology).filter(([x, y]) => x.pod !== y.pod);
          const each = Math.floor((a * h) / (groups - 1));
          expect(global).toHaveLength((each * groups * (groups - 1)) / 2);
          for (const node of switchesOf(topology))
            expect(global.filter((ends) => ends.includes(node)).length).toBeLessThanOrEqual(h);
        },
      ),
    );
  });
});

const shapes = fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 1, maxLength: 3 });

describe("a HyperX", () => {
  it("joins two switches exactly where one coordinate differs", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const topology = build({ kind: "hyperx", shape, hosts_per_switch: 1 });
        const switches = switchesOf(topology);
        expect(switches).toHaveLength(shape.reduce((product, size) => product * size, 1));
        const joined = new Set(fabric(topology).map(([a, b]) => `${a.index} ${b.index}`));
        expect(joined.size).toBe(fabric(topology).length);
        for (const a of switches)
          for (const b of switches) {
            if (a.index >= b.index) continue;
            expect(joined.has(`${a.index} ${b.index}`)).toBe(offsetDimensions(a, b).length === 1);
          }
      }),
      { numRuns: 30 },
    );
  });

  it("has paths as long as the number of offset dimensions (Dahu, section 4.1)", () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const topology = build({ kind: "hyperx", shape, hosts_per_switch: 1 });
        const [first] = switchesOf(topology);
        const distances = distancesFrom(topology, first!.index);
        for (const other of switchesOf(topology))
          expect(distances[other.index]).toBe(offsetDimensions(first!, other).length);
      }),
      { numRuns: 30 },
    );
  });

  it("has a next hop a shortest path in each offset dimension", () => {
    const topology = build({ kind: "hyperx", shape: [3, 4, 2], hosts_per_switch: 1 });
    for (const table of computeRoutes(topology)) {
      const own = topology.nodes[table.node]!;
      for (const rack of topology.racks) {
        const other = topology.nodes[rack.switches[0]!]!;
        if (other === own) continue;
        const route = table.routes.find(
          ({ ipv4 }) => ipv4.address === rack.ipv4.address && ipv4.length === 24,
        );
        const wider = table.routes.find(({ ipv4 }) => ipv4.length === 0);
        const hops = table.hopSets[(route ?? wider)!.hops]!;
        expect(hops.ports).toHaveLength(offsetDimensions(own, other).length);
      }
    }
  });

  it("numbers the ports of a switch by dimension and coordinate", () => {
    const topology = build({ kind: "hyperx", shape: [3, 3], hosts_per_switch: 2 });
    const names = nodeNamed(topology, "switch1-1")!.ports.map(({ peer }) => topology.nodes[peer]!.name);
    expect(names).toEqual(["host1-1-0", "host1-1-1", "switch0-1", "switch2-1", "switch1-0", "switch1-2"]);
  });

  it("leaves out links", () => {
    const all = build({ kind: "hyperx", shape: [3, 3] });
    const fewer = build({ kind: "hyperx", shape: [3, 3], missing_links: [["switch2-1", "switch1-1"]] });
    expect(fewer.links).toHaveLength(all.links.length - 1);
  });

  it("has no offset dimensions for a host", () => {
    const topology = build({ kind: "hyperx", shape: [2, 2] });
    expect(() => offsetDimensions(hostsOf(topology)[0]!, switchesOf(topology)[0]!)).toThrow(RangeError);
  });
});

describe("a fat tree", () => {
  it.each([2, 4, 8])(
    "of switches with %i ports has k^3/4 hosts and 5k^2/4 switches, and uses all ports",
    (k) => {
      const topology = build({ kind: "fat_tree", k });
      expect(hostsOf(topology)).toHaveLength(k ** 3 / 4);
      expect(switchesOf(topology)).toHaveLength((5 * k * k) / 4);
      for (const { ports } of switchesOf(topology)) expect(ports).toHaveLength(k);
    },
  );
});

describe("a DRing", () => {
  it("joins each switch with all switches of the two next supernodes each way, and no other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 9 }), fc.integer({ min: 1, max: 3 }), (supernodes, size) => {
        const topology = build({
          kind: "dring",
          supernodes,
          switches_per_supernode: size,
          hosts_per_switch: 1,
        });
        expect(switchDegrees(topology)).toEqual(new Array(supernodes * size).fill(4 * size));
        for (const [a, b] of fabric(topology)) {
          const apart = Math.abs(a.pod! - b.pod!);
          expect([1, 2]).toContain(Math.min(apart, supernodes - apart));
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("a Jellyfish", () => {
  it("is regular and connected, and has no link twice", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 30 }),
        fc.integer({ min: 3, max: 6 }),
        fc.integer({ min: 0, max: 1000 }),
        (switches, wanted, seed) => {
          const degree = Math.min(wanted, switches - 1);
          const topology = build({ kind: "jellyfish", switches, degree, seed, hosts_per_switch: 1 });
          const degrees = switchDegrees(topology);
          const missing = degrees.reduce((sum, own) => sum + degree - own, 0);
          expect(Math.max(...degrees)).toBe(degree);
          expect(missing).toBeLessThanOrEqual((switches * degree) % 2);
          const pairs = fabric(topology).map(([a, b]) => `${a.index} ${b.index}`);
          expect(new Set(pairs).size).toBe(pairs.length);
          const first = switchesOf(topology)[0]!.index;
          const distances = distancesFrom(topology, first);
          for (const own of switchesOf(topology)) expect(distances[own.index]).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("is the same for the same seed, and another for another", () => {
    const links = (seed: number) =>
      fabric(build({ kind: "jellyfish", switches: 20, degree: 4, seed })).map(
        ([a, b]) => `${a.name} ${b.name}`,
      );
    expect(links(1)).toEqual(links(1));
    expect(links(1)).not.toEqual(links(2));
  });
});
