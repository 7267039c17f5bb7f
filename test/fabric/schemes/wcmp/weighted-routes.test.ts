/** Weighted routes: the shares of paths in closed form, on whole and uneven fabrics, with links of one rate and of several. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { portsToRacks } from "../../../../src/fabric/schemes/wcmp/path-capacity.js";
import { weightedRoutes } from "../../../../src/fabric/schemes/wcmp/weighted-routes.js";
import {
  buildTopology,
  computeRoutes,
  nodeNamed,
  type RoutingTable,
  type Topology,
  type TopologyInput,
  topologySchema,
  withLinksDown,
} from "../../../../src/fabric/topology/index.js";

function fabric(more: Partial<TopologyInput> = {}): Topology {
  return buildTopology(
    topologySchema.parse({
      kind: "clos",
      homing: "single",
      pods: 3,
      tors_per_pod: 2,
      leaves_per_pod: 2,
      spines_per_plane: 3,
      ...more,
    } as TopologyInput),
  );
}

/** The share of each path from a ToR to a rack, under groups that use their members equally; paths as names of switches. */
function shares(topology: Topology, from: string, rack: number, most = 128): Map<string, number> {
  const portsTo = portsToRacks(topology, weightedRoutes(topology, most));
  const found = new Map<string, number>();
  const walk = (node: number, path: string, share: number): void => {
    const { name, ports } = topology.nodes[node]!;
    const here = path === "" ? name : `${path} ${name}`;
    if (topology.racks[rack]!.switches.includes(node)) {
      found.set(here, Number(((found.get(here) ?? 0) + share).toFixed(12)));
      return;
    }
    const members = portsTo(node, rack)!;
    for (const port of members) walk(ports[port - 1]!.peer, here, share / members.length);
  };
  walk(nodeNamed(topology, from)!.index, "", 1);
  return found;
}

const rackOf = (topology: Topology, tor: string) =>
  topology.racks.findIndex(({ switches }) => switches.includes(nodeNamed(topology, tor)!.index));

describe("in a whole fabric", () => {
  it("the routes are those of ECMP", () => {
    const topology = fabric();
    const weighted = weightedRoutes(topology, 128);
    const portsOf = (tables: readonly RoutingTable[]) => {
      const portsTo = portsToRacks(topology, tables);
      return topology.nodes.flatMap(({ index, role }) =>
        role === "host" ? [] : [topology.racks.map((_, rack) => portsTo(index, rack))],
      );
    };
    expect(portsOf(weighted)).toEqual(portsOf(computeRoutes(topology)));
    const prefixes = (tables: readonly RoutingTable[]) =>
      tables.map(({ routes, hopSets }) => routes.map(({ ipv4, hops }) => [ipv4, hopSets[hops]]));
    expect(prefixes(weighted)).toEqual(prefixes(computeRoutes(topology)));
  });
});

describe("with links of one rate", () => {
  it("all shortest paths of two racks have the same share", () => {
    for (const missing of [
      [["leaf2-0", "spine0-1"]],
      [
        ["leaf2-0", "spine0-1"],
        ["leaf0-1", "spine1-2"],
        ["tor1-0", "leaf1-1"],
      ],
    ]) {
      const topology = fabric({ missing_links: missing } as Partial<TopologyInput>);
      for (const from of ["tor0-0", "tor0-1", "tor1-0"])
        for (const to of ["tor2-0", "tor2-1", "tor1-1"]) {
          const found = [...shares(topology, from, rackOf(topology, to))];
          for (const [path, share] of found) expect(share, path).toBeCloseTo(1 / found.length, 9);
        }
    }
  });

  it("one missing link between leaf and spine gives two fifths to its plane", () => {
    const topology = fabric({ missing_links: [["leaf2-0", "spine0-1"]] } as Partial<TopologyInput>);
    const found = [...shares(topology, "tor0-0", rackOf(topology, "tor2-0"))];
    expect(found.length).toBe(5);
    const plane = found.filter(([path]) => path.includes(" leaf0-0 "));
    expect(plane.reduce((sum, [, share]) => sum + share, 0)).toBeCloseTo(2 / 5, 9);
    // Other pods are reached as before.
    expect([...shares(topology, "tor0-0", rackOf(topology, "tor1-0")).values()]).toEqual(
      Array(6).fill(Number((1 / 6).toFixed(12))),
    );
  });

  it("on the uneven fabric of the examples, all paths of two racks have the same share", () => {
    const file = join(import.meta.dirname, "../../../../examples/pecmp-uneven.yaml");
    const document = parse(readFileSync(file, "utf8")) as { topology: TopologyInput };
    const topology = buildTopology(topologySchema.parse(document.topology));
    for (const [from, to] of [
      ["tor0-0", "tor2-1"],
      ["tor1-2", "tor0-0"],
      ["tor2-1", "tor1-2"],
      ["tor0-2", "tor0-0"],
    ] as const) {
      const found = [...shares(topology, from, rackOf(topology, to))];
      expect(found.length).toBeGreaterThan(3);
      for (const [path, share] of found) expect(share, path).toBeCloseTo(1 / found.length, 9);
    }
  });
});

describe("with links of several rates", () => {
  it("a path counts as much as its slowest link", () => {
    const rate = (name: string) => (name === "s2" ? "40Gbps" : "100Gbps");
    const links = ["s1", "s2", "s3"].flatMap((name) => [
      { a: "t1", b: name, rate: rate(name) },
      { a: "t2", b: name, rate: name === "s3" ? "60Gbps" : "100Gbps" },
    ]);
    const topology = buildTopology(
      topologySchema.parse({
        kind: "graph",
        nodes: [
          ...["t1", "t2"].map((name) => ({ name, role: "tor" })),
          ...["s1", "s2", "s3"].map((name) => ({ name, role: "leaf" })),
          ...["h1", "h2"].map((name) => ({ name, role: "host" })),
        ],
        links: [...links, { a: "h1", b: "t1" }, { a: "h2", b: "t2" }],
      } as TopologyInput),
    );
    expect(Object.fromEntries(shares(topology, "t1", rackOf(topology, "t2")))).toEqual({
      "t1 s1 t2": 0.5,
      "t1 s2 t2": 0.2,
      "t1 s3 t2": 0.3,
    });
    // In groups of at most four members, 5 : 2 : 3 becomes 2 : 1 : 1.
    expect(Object.fromEntries(shares(topology, "t1", rackOf(topology, "t2"), 4))).toEqual({
      "t1 s1 t2": 0.5,
      "t1 s2 t2": 0.25,
      "t1 s3 t2": 0.25,
    });
    // With room for two members the third next hop is left out.
    expect([...shares(topology, "t1", rackOf(topology, "t2"), 2).keys()]).toEqual(["t1 s1 t2", "t1 s2 t2"]);
  });
});

describe("after a failure", () => {
  it("the weights follow the capacity that is left, and come back", () => {
    const whole = fabric();
    const down = whole.links.findIndex(
      ({ a, b }) => whole.nodes[a.node]!.name === "leaf2-0" && whole.nodes[b.node]!.name === "spine0-1",
    );
    const reduced = withLinksDown(whole, [down]);
    const found = shares(reduced, "tor0-0", rackOf(reduced, "tor2-0"));
    expect([...found.values()].map((share) => Number(share.toFixed(9)))).toEqual(Array(5).fill(0.2));
    const back = withLinksDown(whole, []);
    expect(shares(back, "tor0-0", rackOf(back, "tor2-0")).size).toBe(6);
  });
});
