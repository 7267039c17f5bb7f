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
} from "../../src/topology/index.js";
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

/** First ports of all shortest ways to a host that go up and then down, by trying every way. */
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
      const up = TIER[nodes[port.peer]!.role] > TIER[nodes[node]!.role];
      if (nodes[port.peer]!.role === "host" || seen.includes(port.peer) || (up && descending)) continue;
      walk(port.peer, start, length + 1, !up, [...seen, port.peer]);
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

describe("routes", () => {
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

  it("tell ways up, down and out", () => {
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
