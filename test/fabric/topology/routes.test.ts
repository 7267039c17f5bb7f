import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  computeRoutes,
  type HopSet,
  hostsOf,
  nodeNamed,
  type Prefix,
  type RoutingTable,
  TIER,
  type Topology,
  type TopologyInput,
} from "../../../src/fabric/topology/index.js";
import { build, example } from "./load.js";

/** Longest-prefix match, as a switch does it. */
function lookup(table: RoutingTable, family: "ipv4" | "ipv6", address: bigint): HopSet | undefined {
  const bits = family === "ipv4" ? 32 : 128;
  const covers = ({ address: prefix, length }: Prefix) =>
    address >> BigInt(bits - length) === prefix >> BigInt(bits - length);
  const best = table.routes
    .filter((route) => covers(route[family]))
    .sort((x, y) => y[family].length - x[family].length)[0];
  return best === undefined ? undefined : table.hopSets[best.hops];
}

/**
 * First ports of all shortest ways to a host that go up and then down, by trying every way. A link within a tier goes
 * neither up nor down.
 */
function shortestWays(topology: Topology, from: number, host: number): number[] {
  const { nodes } = topology;
  let best = Number.POSITIVE_INFINITY;
  let ports = new Set<number>();
  const walk = (node: number, first: number, length: number, descending: boolean, seen: number[]) => {
    if (length > best) return;
    for (const port of nodes[node]!.ports) {
      const start = length === 0 ? port.number : first;
      if (port.peer === host) {
        if (length + 1 < best) ports = new Set();
        best = Math.min(best, length + 1);
        if (length + 1 === best) ports.add(start);
        continue;
      }
      const rise = TIER[nodes[port.peer]!.role] - TIER[nodes[node]!.role];
      if (nodes[port.peer]!.role === "host" || seen.includes(port.peer) || (rise > 0 && descending)) continue;
      walk(port.peer, start, length + 1, descending || rise < 0, [...seen, port.peer]);
    }
  };
  walk(from, 0, 0, false, [from]);
  return [...ports].sort((a, b) => a - b);
}

const spec: fc.Arbitrary<TopologyInput> = fc
  .record({
    pods: fc.integer({ min: 1, max: 3 }),
    tors: fc.constantFrom(2, 4),
    leaves: fc.integer({ min: 1, max: 4 }),
    spines: fc.integer({ min: 1, max: 3 }),
    homing: fc.constantFrom("single" as const, "dual" as const),
    wiring: fc.constantFrom("planes" as const, "mesh" as const),
    missing: fc.uniqueArray(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(3)), { maxLength: 4 }),
  })
  .map(({ missing, ...shape }) => ({
    kind: "clos" as const,
    pods: shape.pods,
    tors_per_pod: shape.tors,
    leaves_per_pod: shape.leaves,
    spines_per_plane: shape.spines,
    homing: shape.homing,
    wiring: shape.wiring,
    hosts_per_rack: 1,
    missing_links: missing.map(([pod, tor, leaf]): [string, string] => [
      `tor${pod % shape.pods}-${tor % shape.tors}`,
      `leaf${pod % shape.pods}-${leaf % shape.leaves}`,
    ]),
  }));

/** Networks of any wiring: links within a tier and past a tier, several links between two switches, switches of no tier. */
const graph: fc.Arbitrary<TopologyInput> = fc
  .record({
    roles: fc.array(fc.constantFrom("tor" as const, "leaf" as const, "spine" as const, "switch" as const), {
      minLength: 2,
      maxLength: 6,
    }),
    links: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 11 }),
    hosts: fc.array(fc.array(fc.nat(5), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 4 }),
  })
  .map(({ roles, links, hosts }) => ({
    kind: "graph" as const,
    nodes: [
      ...roles.map((role, i) => ({ name: `s${i}`, role })),
      ...hosts.map((_, i) => ({ name: `h${i}`, role: "host" as const })),
    ],
    links: [
      ...links
        .map(([a, b]) => [a % roles.length, b % roles.length] as const)
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => ({ a: `s${a}`, b: `s${b}` })),
      ...hosts.flatMap((ends, i) => ends.map((end) => ({ a: `h${i}`, b: `s${end % roles.length}` }))),
    ],
  }));

/** `local`: the host is at the switch; `down`: all next hops are in lower tiers; else `up`. */
function directionOf({ nodes }: Topology, from: number, host: number, ports: readonly number[]): string {
  const peers = ports.map((port) => nodes[nodes[from]!.ports[port - 1]!.peer]!);
  if (peers.some((peer) => peer.index === host)) return "local";
  return peers.every((peer) => TIER[peer.role] < TIER[nodes[from]!.role]) ? "down" : "up";
}

/** The routes of a switch as text. */
function tableOf(topology: Topology, name: string): string[] {
  const node = nodeNamed(topology, name)!.index;
  const { hopSets, routes } = computeRoutes(topology).find((table) => table.node === node)!;
  return routes.map(({ ipv4: { address, length }, hops }) => {
    const bytes = [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join(".");
    return `${bytes}/${length} ${hopSets[hops]!.direction} ${hopSets[hops]!.ports.join(",")}`;
  });
}

describe("routes", () => {
  it("are those of any graph too, each with its direction", () => {
    fc.assert(
      fc.property(fc.oneof(graph, spec), (input) => {
        const topology = build(input);
        for (const table of computeRoutes(topology))
          for (const host of hostsOf(topology)) {
            const wanted = shortestWays(topology, table.node, host.index);
            const hops = lookup(table, "ipv4", host.host!.ipv4);
            expect(hops?.ports ?? []).toEqual(wanted);
            if (wanted.length > 0)
              expect(hops!.direction).toBe(directionOf(topology, table.node, host.index, wanted));
          }
      }),
      { numRuns: 300 },
    );
  });

  it("store each hop set once", () => {
    fc.assert(
      fc.property(fc.oneof(graph, spec), (input) => {
        for (const { hopSets } of computeRoutes(build(input)))
          expect(new Set(hopSets.map((hops) => JSON.stringify(hops))).size).toBe(hopSets.length);
      }),
      { numRuns: 50 },
    );
  });

  it("are computed once for a topology", () => {
    const topology = example("clos");
    expect(computeRoutes(topology)).toBe(computeRoutes(topology));
    expect(computeRoutes(example("clos"))).not.toBe(computeRoutes(topology));
  });

  it("of a pod serve most of its racks; the others, and a rack alone, have routes of their own", () => {
    const base = {
      kind: "clos",
      pods: 2,
      leaves_per_pod: 2,
      spines_per_plane: 1,
      hosts_per_rack: 1,
    } as const;
    // Rack 0 has no link to leaf 1, so other pods reach it by plane 0 only. On a tie, the hop set found first is used.
    const two = build({
      ...base,
      tors_per_pod: 4,
      missing_links: [
        ["tor0-0", "leaf0-1"],
        ["tor0-1", "leaf0-1"],
      ],
    });
    expect(tableOf(two, "tor1-0")).toEqual([
      "0.0.0.0/0 up 2",
      "10.0.1.0/24 up 2,3",
      "10.1.0.1/32 local 1",
      "10.1.1.0/24 up 2,3",
    ]);
    expect(tableOf(two, "spine0-0")).toEqual(["10.0.0.0/16 down 1", "10.1.0.0/16 down 2"]);
    // A spine reaches one rack of pod 0 only, and one rack alone gets no route of its pod.
    expect(tableOf(two, "spine1-0")).toEqual([
      "10.0.0.0/24 down ",
      "10.0.1.0/24 down 1",
      "10.1.0.0/16 down 2",
    ]);
    // With three racks, two of them outvote the first.
    const three = build({
      ...base,
      tors_per_pod: 6,
      missing_links: [
        ["tor0-0", "leaf0-1"],
        ["tor0-1", "leaf0-1"],
      ],
    });
    expect(tableOf(three, "tor1-0")).toEqual(["0.0.0.0/0 up 2,3", "10.0.0.0/24 up 2", "10.1.0.1/32 local 1"]);
    expect(tableOf(three, "leaf1-0")).toEqual([
      "0.0.0.0/0 up 7",
      "10.1.0.0/24 down 1,2",
      "10.1.1.0/24 down 3,4",
      "10.1.2.0/24 down 5,6",
    ]);
  });

  it("upwards that most pods share are the default route", () => {
    const base = {
      kind: "clos",
      tors_per_pod: 4,
      leaves_per_pod: 2,
      spines_per_plane: 1,
      hosts_per_rack: 1,
    } as const;
    // Pod 0 is cut off from plane 1; pods 1 to 3 are not.
    const topology = build({ ...base, pods: 4, missing_links: [["leaf0-1", "spine1-0"]] });
    expect(tableOf(topology, "tor3-0")).toEqual([
      "0.0.0.0/0 up 2,3",
      "10.0.0.0/16 up 2",
      "10.3.0.1/32 local 1",
    ]);
    expect(tableOf(topology, "tor0-0")).toEqual([
      "0.0.0.0/0 up 2",
      "10.0.0.1/32 local 1",
      "10.0.1.0/24 up 2,3",
    ]);
  });

  it("are all shortest ways up and down, and only those, for every host in both families", () => {
    fc.assert(
      fc.property(spec, (input) => {
        const topology = build(input);
        const tables = computeRoutes(topology);
        for (const host of hostsOf(topology)) {
          for (const table of tables) {
            const wanted = shortestWays(topology, table.node, host.index);
            for (const family of ["ipv4", "ipv6"] as const) {
              expect(lookup(table, family, host.host![family])?.ports ?? []).toEqual(wanted);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it("are few in a symmetric fabric: hosts and a way up in a ToR, a pod each in a spine", () => {
    const topology = example("clos");
    const routes = (name: string) =>
      computeRoutes(topology).find((table) => table.node === nodeNamed(topology, name)!.index)!;
    expect(routes("tor0-0").routes).toHaveLength(3);
    expect(routes("leaf0-0").routes).toHaveLength(3);
    expect(routes("spine0-0").routes.map((route) => route.ipv4.length)).toEqual([16, 16]);
  });

  it("have a direction: up or down", () => {
    const topology = example("clos");
    const leaf = computeRoutes(topology).find((t) => t.node === nodeNamed(topology, "leaf0-0")!.index)!;
    const directions = leaf.routes.map((route) => leaf.hopSets[route.hops]!);
    expect(directions).toEqual([
      { direction: "up", ports: [5, 6, 7, 8] },
      { direction: "down", ports: [1, 2] },
      { direction: "down", ports: [3, 4] },
    ]);
  });

  it("find figure 4's base groups: rows up, columns down", () => {
    const topology = example("asymmetric");
    const hopsOf = (name: string, host: string) => {
      const node = nodeNamed(topology, name)!;
      const table = computeRoutes(topology).find((t) => t.node === node.index)!;
      const hops = lookup(table, "ipv4", nodeNamed(topology, host)!.host!.ipv4)!;
      return hops.ports.map((port) => topology.nodes[node.ports[port - 1]!.peer]!.name);
    };
    expect(hopsOf("tor0-0", "host0-1-0")).toEqual(["leaf0-0", "leaf0-2", "leaf0-3"]);
    expect(hopsOf("tor0-1", "host0-0-0")).toEqual(["leaf0-0", "leaf0-2", "leaf0-3"]);
    expect(hopsOf("tor0-1", "host0-2-0")).toEqual(["leaf0-0", "leaf0-1", "leaf0-2", "leaf0-3"]);
    // Plane 3 cannot reach the ToR whose link to leaf 3 is missing, so other pods avoid it.
    expect(hopsOf("tor0-1", "host1-2-0")).toEqual(["leaf0-0", "leaf0-1", "leaf0-2"]);
    expect(hopsOf("leaf1-0", "host1-2-0")).toEqual(["tor1-2"]);
  });
});
