/** Routes around links that are down are those of a network that never had the links. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildTopology,
  computeRoutes,
  hostsOf,
  nodeNamed,
  switchesOf,
  type Topology,
  type TopologyInput,
  topologySchema,
  withLinksDown,
} from "../../../src/fabric/topology/index.js";

const build = (spec: TopologyInput): Topology => buildTopology(topologySchema.parse(spec));

const CLOS = {
  kind: "clos",
  pods: 2,
  tors_per_pod: 4,
  leaves_per_pod: 2,
  spines_per_plane: 2,
} as const satisfies TopologyInput;

/** Names of the next hops of each switch to each host, by the longest prefix that has the host's address. */
function nextHops(topology: Topology): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { node, hopSets, routes } of computeRoutes(topology)) {
    const { name, ports } = topology.nodes[node]!;
    for (const host of hostsOf(topology)) {
      const { ipv4, ipv6 } = host.host!;
      const best = (family: "ipv4" | "ipv6", address: bigint, bits: number) =>
        routes
          .filter((route) => {
            const shift = BigInt(bits - route[family].length);
            return address >> shift === route[family].address >> shift;
          })
          .sort((a, b) => b[family].length - a[family].length)[0];
      const route = best("ipv4", ipv4, 32);
      expect(best("ipv6", ipv6, 128)).toBe(route);
      const hops = route === undefined ? [] : hopSets[route.hops]!.ports;
      const peers = hops.map((port) => topology.nodes[ports[port - 1]!.peer]!.name);
      found.set(`${name} to ${host.name}`, peers.sort());
    }
  }
  return found;
}

describe("a topology with links down", () => {
  for (const homing of ["single", "dual"] as const) {
    it(`has the next hops of one without them (homing: ${homing})`, () => {
      const whole = build({ ...CLOS, homing });
      const fabric = whole.links.filter(({ a, b }) =>
        [a, b].every(({ node }) => whole.nodes[node]!.role !== "host"),
      );
      fc.assert(
        fc.property(fc.subarray(fabric, { maxLength: 9 }), (down) => {
          const missing = down.map(({ a, b }): [string, string] => [
            whole.nodes[a.node]!.name,
            whole.nodes[b.node]!.name,
          ]);
          const without = build({ ...CLOS, homing, missing_links: missing });
          const links = down.map(({ index }) => index);
          expect(nextHops(withLinksDown(whole, links))).toEqual(nextHops(without));
          // One after the other is as all at once.
          const steps = links.reduce((reduced, link) => withLinksDown(reduced, [link]), whole);
          expect(computeRoutes(steps)).toEqual(computeRoutes(withLinksDown(whole, links)));
        }),
        { numRuns: 60 },
      );
    });
  }

  it("keeps ports, and is the same object when nothing changes", () => {
    const whole = build(CLOS);
    const reduced = withLinksDown(whole, [30, 5]);
    expect(reduced.nodes.map(({ ports }) => ports)).toEqual(whole.nodes.map(({ ports }) => ports));
    expect(withLinksDown(whole, [])).toBe(whole);
    expect(withLinksDown(reduced, [5])).toBe(reduced);
  });

  it("leads to a host that has lost one of two links by the other one", () => {
    const whole = build({ ...CLOS, homing: "dual" });
    const host = hostsOf(whole)[0]!;
    const [lost, left] = host.ports.map(({ peer }) => whole.nodes[peer]!.name);
    const hops = nextHops(withLinksDown(whole, [host.ports[0]!.link]));
    for (const leaf of switchesOf(whole, "leaf").filter(({ pod }) => pod === host.pod))
      expect(hops.get(`${leaf.name} to ${host.name}`)).toEqual([left]);
    const leaves = nodeNamed(whole, lost!)!.ports.map(({ peer }) => whole.nodes[peer]!);
    const up = leaves.filter(({ role }) => role === "leaf").map(({ name }) => name);
    expect(hops.get(`${lost} to ${host.name}`)).toEqual(up.sort());
    expect(hops.get(`${left} to ${host.name}`)).toEqual([host.name]);
    // Its neighbour in the rack is reached as before.
    const neighbour = hostsOf(whole)[1]!;
    expect(neighbour.host!.rack).toBe(host.host!.rack);
    expect(hops.get(`${lost} to ${neighbour.name}`)).toEqual([neighbour.name]);
  });

  it("has no way to a host without links", () => {
    const whole = build({ ...CLOS, homing: "single" });
    const host = hostsOf(whole)[0]!;
    const hops = nextHops(withLinksDown(whole, [host.ports[0]!.link]));
    for (const { name } of switchesOf(whole)) expect(hops.get(`${name} to ${host.name}`)).toEqual([]);
  });
});
