/** The ways up of a server, counted in routing tables, against a search through the links that knows no routes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reportOf } from "../../../../src/fabric/schemes/pecmp/report.js";
import { buildTopology, TIER, type Topology, topologySchema } from "../../../../src/fabric/topology/index.js";

/** Whether a packet can go from a switch to a host without going up. */
function reaches(topology: Topology, from: number, host: number): boolean {
  const { role, ports } = topology.nodes[from]!;
  return ports.some(
    ({ peer }) =>
      peer === host ||
      (TIER[topology.nodes[peer]!.role] < TIER[role] &&
        topology.nodes[peer]!.role !== "host" &&
        reaches(topology, peer, host)),
  );
}

/** The shortest ways up from a switch at whose end a packet can go down to a host. */
function waysUp(topology: Topology, from: number, host: number): number {
  let ends = [from];
  while (ends.length > 0) {
    const found = ends.filter((end) => reaches(topology, end, host)).length;
    if (found > 0) return found;
    ends = ends.flatMap((end) => {
      const { role, ports } = topology.nodes[end]!;
      return ports.map(({ peer }) => peer).filter((peer) => TIER[topology.nodes[peer]!.role] > TIER[role]);
    });
  }
  return 0;
}

/** All pairs of hosts, all NICs. */
function bruteForce(topology: Topology): number {
  const hosts = topology.racks.map((rack) => topology.nodes[rack.hosts[0]!]!);
  return Math.max(
    ...hosts.flatMap((from) =>
      hosts
        .filter((to) => to !== from)
        .map((to) => from.ports.reduce((sum, { peer }) => sum + waysUp(topology, peer, to.index), 0)),
    ),
  );
}

const clos = fc
  .record({
    wiring: fc.constantFrom("planes", "mesh"),
    homing: fc.constantFrom("single", "dual"),
    pods: fc.integer({ min: 2, max: 3 }),
    pairs: fc.integer({ min: 1, max: 2 }),
    leaves_per_pod: fc.integer({ min: 2, max: 4 }),
    spines_per_plane: fc.integer({ min: 1, max: 3 }),
    missing: fc.array(fc.nat(), { maxLength: 6 }),
  })
  .map(({ missing, pairs, ...shape }) => {
    const spec = { kind: "clos", hosts_per_rack: 1, tors_per_pod: 2 * pairs, ...shape };
    const { nodes, links } = buildTopology(topologySchema.parse(spec));
    const names = links
      .map(({ a, b }) => [nodes[a.node]!, nodes[b.node]!] as const)
      .filter((ends) => ends.every(({ role }) => role !== "host"))
      .map(([a, b]): [string, string] => [a.name, b.name]);
    const chosen = [...new Set(missing.map((draw) => draw % names.length))];
    return { ...spec, missing_links: chosen.map((index) => names[index]!) };
  });

describe("the paths of a report", () => {
  it("are the ways up that a search through the links finds, whatever links are missing", () => {
    let uneven = 0;
    fc.assert(
      fc.property(clos, (spec) => {
        const topology = buildTopology(topologySchema.parse(spec));
        const { paths } = reportOf("t", topology);
        expect(paths).toBe(bruteForce(topology));
        const most = (role: string) =>
          Math.max(
            1,
            ...topology.nodes
              .filter((node) => node.role === role)
              .map(
                ({ ports }) =>
                  ports.filter(({ peer }) => TIER[topology.nodes[peer]!.role] > TIER[role as "tor"]).length,
              ),
          );
        if (paths !== most("host") * most("tor") * most("leaf")) uneven++;
      }),
      { numRuns: 60, seed: 24 },
    );
    // In some of these fabrics the product of the largest groups is wrong.
    expect(uneven).toBeGreaterThan(5);
  });
});
