/** Every route between two hosts has a selector, and packets with it take that route through the compiled programs. */
import { describe, expect, it } from "vitest";
import { emptyFlows } from "../../../../src/fabric/paths/index.js";
import { SelectorPaths } from "../../../../src/fabric/schemes/index.js";
import { ExactRoutes } from "../../../../src/fabric/schemes/pecmp/exact-routes.js";
import { compileFabric } from "../../../../src/fabric/schemes/pecmp/fabric.js";
import { pecmp } from "../../../../src/fabric/schemes/pecmp/index.js";
import { pecmpParameters } from "../../../../src/fabric/schemes/pecmp/parameters.js";
import { hostsOf, nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { PacketWalk } from "../../paths/packet-walk.js";
import { build, example } from "../../topology/load.js";

const clos = { pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2, hosts_per_rack: 1 };
const FABRICS: readonly [name: string, topology: Topology, control: "hops" | "both", routes: number][] = [
  // 2 leaves, 2 spines, 2 leaves down, and one ToR.
  ["mesh", build({ kind: "clos", wiring: "mesh", homing: "single", ...clos }), "hops", 2 * 2 * 2],
  // 2 NICs before, 2 ToRs after, one leaf below a spine.
  ["planes, dual", build({ kind: "clos", homing: "dual", ...clos, tors_per_pod: 4 }), "both", 2 * 2 * 2 * 2],
  ["missing links", example("asymmetric"), "both", 3 * 2],
];

function plan(topology: Topology, control: "hops" | "both") {
  const parameters = pecmpParameters.parse({ control, field: "flow_label" });
  return {
    plan: pecmp.plan(topology, parameters),
    routes: new ExactRoutes(
      topology,
      compileFabric(topology, parameters, () => undefined),
    ),
  };
}

describe("exact routes", () => {
  it.each(FABRICS)("%s: packets take each of them", async (_name, topology, control, count) => {
    const own = plan(topology, control);
    const paths = new SelectorPaths(topology, own.plan.pathModel!(), own.plan.hosts);
    const walk = new PacketWalk(topology, own.plan);
    const hosts = hostsOf(topology);
    const [source, destination] = [hosts[0]!, hosts.at(-1)!];
    const flow = { version: 6, protocol: 6, sourcePort: 4711, destinationPort: 80 } as const;
    const ends = { source: source.index, destination: destination.index };
    const key = {
      src: source.host!.ipv6,
      dst: destination.host!.ipv6,
      protocol: 6,
      srcPort: 4711,
      dstPort: 80,
    };
    const found = [...own.routes.between(source.index, destination.index)];
    expect(new Set(found.map(({ links }) => links.join(" "))).size).toBe(found.length);
    expect(found.length).toBe(count);
    for (const route of found) {
      const selector = own.routes.withNic(route, key);
      expect(paths.pathOf({ ...ends, ...flow }, selector)).toEqual({
        nodes: route.nodes,
        links: route.links,
      });
      const columns = emptyFlows(1, 6);
      columns.source[0] = source.index;
      columns.destination[0] = destination.index;
      columns.sourcePort[0] = 4711;
      columns.destinationPort[0] = 80;
      const packet = { ...columns, selector: Uint32Array.of(selector), nic: Uint8Array.of(route.nic) };
      expect(await walk.linksOf(packet, 0)).toEqual(route.links);
      expect(own.routes.along(route.nodes)).toEqual(route);
    }
  });

  it("refuses nodes that are no route, at the first wrong node", () => {
    const topology = example("asymmetric");
    const { routes } = plan(topology, "both");
    const of = (...names: string[]) => routes.along(names.map((name) => nodeNamed(topology, name)!.index));
    const hosts = hostsOf(topology).map(({ name }) => name);
    const [first, last] = [hosts[0]!, hosts.at(-1)!];
    expect(of(first, "tor0-0", "leaf0-1", "spine1-0", "leaf1-1", "tor1-3", last)).toEqual({
      at: 2,
      why: '"tor0-0" has no link to "leaf0-1" that is up',
    });
    expect(
      of(first, "tor0-0", "leaf0-0", "tor0-1", "leaf0-0", "spine0-0", "leaf1-0", "tor1-3", last),
    ).toEqual({
      at: 3,
      why: `"leaf0-0" has no shortest path to "${last}" through "tor0-1"`,
    });
    expect(of(first, "tor0-0", first, "tor0-0", last)).toEqual({
      at: 2,
      why: expect.stringContaining("has no shortest path"),
    });
  });
});

describe("paths of (flow, selector)", () => {
  it("answers for topology #12 as packets do", async () => {
    const topology = example("production");
    const parameters = pecmpParameters.parse({ control: "both", field: "dscp_flow_label" });
    const own = pecmp.plan(topology, parameters);
    const paths = new SelectorPaths(topology, own.pathModel!(), own.hosts);
    const walk = new PacketWalk(topology, own);
    const hosts = hostsOf(topology);
    const seen = new Set<string>();
    for (let i = 0; i < 8; i++) {
      const [source, destination] = [hosts[(i * 37) % hosts.length]!, hosts[(i * 91 + 50) % hosts.length]!];
      const selector = i * 70_001;
      const flow = { source: source.index, destination: destination.index, version: 6, protocol: 6 } as const;
      const path = paths.pathOf({ ...flow, sourcePort: 1000 + i, destinationPort: 80 }, selector)!;
      const columns = emptyFlows(1, 6);
      columns.source[0] = source.index;
      columns.destination[0] = destination.index;
      columns.sourcePort[0] = 1000 + i;
      columns.destinationPort[0] = 80;
      const nic = source.ports.findIndex(({ peer }) => peer === path.nodes[1]);
      const packet = { ...columns, selector: Uint32Array.of(selector), nic: Uint8Array.of(nic) };
      expect(await walk.linksOf(packet, 0)).toEqual(path.links);
      seen.add(path.nodes.join(" "));
    }
    expect(seen.size).toBe(8);
  });
});
