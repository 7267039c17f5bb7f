/** What the hosts rely on is what packets do: routes in common and first tries, through the compiled programs. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { CLIENT, restingHost } from "../../../../src/fabric/hosts/index.js";
import { emptyFlows } from "../../../../src/fabric/paths/index.js";
import { type FirstTry, firstTries } from "../../../../src/fabric/schemes/first-tries.js";
import { hostPolicyOf, schemeNamed } from "../../../../src/fabric/schemes/index.js";
import {
  DisjointPaths,
  hostsOf,
  type Topology,
  type TopologyNode,
} from "../../../../src/fabric/topology/index.js";
import { PacketWalk } from "../../paths/packet-walk.js";
import { build, example } from "../../topology/load.js";
import { clos, randomGraph } from "./graphs.js";

const small = { pods: 2, tors_per_pod: 4, leaves_per_pod: 3, spines_per_plane: 2 };
const NETWORKS: readonly [name: string, topology: Topology][] = [
  ["a random graph", randomGraph(1, 9, 8, 9)],
  ["a sparse random graph", randomGraph(2, 10, 3, 8)],
  ["dual-homed planes, links missing", clos(3, { homing: "dual", ...small }, 0.1)],
  ["a mesh, links missing", clos(4, { homing: "single", wiring: "mesh", ...small }, 0.1)],
  ["a HyperX", example("hyperx")],
];

const scheme = schemeNamed("multiroute")!;

function planOf(topology: Topology, parameters: object = {}) {
  const plan = scheme.plan(topology, scheme.parameters.parse(parameters));
  return { plan: { ...plan, pathModel: plan.pathModel! }, policy: hostPolicyOf(plan.hosts, restingHost()) };
}

function flowsBetween(hosts: readonly TopologyNode[], version: 4 | 6 = 4) {
  return hosts.flatMap((from) =>
    hosts
      .filter((to) => to.host!.rack !== from.host!.rack)
      .map((to, i) => ({
        source: from.index,
        destination: to.index,
        version,
        protocol: 6,
        sourcePort: 1024 + 97 * i + from.index,
        destinationPort: 80,
      })),
  );
}

describe.each(NETWORKS)("%s", (_, topology) => {
  const { nodes, racks } = topology;

  it("has routes whose packets meet where every route has to pass, and nowhere else", async () => {
    const { plan, policy } = planOf(topology, { paths: 3 });
    const walk = new PacketWalk(topology, plan);
    const search = new DisjointPaths(topology);
    let several = 0;
    for (const flow of flowsBetween(hostsOf(topology)).filter((_, i) => i % 3 === 0)) {
      const [from, to] = [nodes[flow.source]!.host!, nodes[flow.destination]!.host!];
      const key = { src: from.ipv4, dst: to.ipv4, protocol: 6, srcPort: flow.sourcePort, dstPort: 80 };
      const found: number[][] = [];
      for (let subflow = 0; subflow < 3; subflow++) {
        const end = { ...CLIENT, subflow, subflows: 3 };
        const { selector } = policy.open(key, new Random(1), end);
        const columns = emptyFlows(1);
        columns.source[0] = flow.source;
        columns.destination[0] = flow.destination;
        columns.sourcePort[0] = flow.sourcePort;
        columns.destinationPort[0] = 80;
        const nic = policy.nic(key, selector, nodes[flow.source]!.ports.length);
        const packet = { ...columns, selector: Uint32Array.of(selector), nic: Uint8Array.of(nic) };
        const links = await walk.linksOf(packet, 0);
        expect(links.length).toBeGreaterThan(1);
        found.push(
          links
            .slice(1)
            .map((link) => ~(link >> 1))
            .slice(0, -1),
        );
      }
      const wanted = search.between(racks[from.rack]!.switches, racks[to.rack]!.switches, 3);
      const routes = new Set(found.map((links) => links.join(" ")));
      expect(routes.size).toBe(wanted.length);
      if (wanted.length > 1) several++;
      const shared = (lists: readonly (readonly number[])[]) =>
        lists[0]!.filter((element) => lists.slice(1).some((other) => other.includes(element))).length;
      const links = wanted.map(({ nodes: on, ports }) =>
        ports.map((port, i) => ~nodes[on[i]!]!.ports[port - 1]!.link),
      );
      expect(shared(found.slice(0, wanted.length))).toBe(shared(links));
    }
    expect(several).toBeGreaterThan(0);
  });

  it("has hosts whose first try leaves every failure that can be left", () => {
    const { plan, policy } = planOf(topology);
    const missed: FirstTry[] = [];
    const flows = flowsBetween(hostsOf(topology), 6);
    const random = new Random(7);
    const onTry = (one: FirstTry) => void (one.left || missed.push(one));
    const counts = firstTries({ topology, plan, policy, flows, random, onTry });
    expect(missed).toEqual([]);
    expect(counts).toMatchObject({ flows: flows.length, left: counts.avoidable, lost: 0 });
    expect(counts.avoidable).toBeGreaterThan(0);
    expect(counts.failures).toBeGreaterThanOrEqual(counts.avoidable);
  });
});

describe("a host", () => {
  it("with two NICs leaves the failure of a ToR towards a host of its own rack, too", () => {
    const topology = build({ kind: "clos", ...small, homing: "dual", hosts_per_rack: 2 });
    const { plan, policy } = planOf(topology);
    const flows = topology.racks.map(({ hosts }, i) => ({
      ...{ source: hosts[0]!, destination: hosts[1]!, version: 4 as const, protocol: 6 },
      ...{ sourcePort: 2000 + i, destinationPort: 80 },
    }));
    const counts = firstTries({ topology, plan, policy, flows, random: new Random(7) });
    expect(counts).toMatchObject({ left: counts.avoidable, lost: 0 });
    // At least one ToR and two links of hosts a flow.
    expect(counts.avoidable).toBeGreaterThanOrEqual(3 * flows.length);
  });

  it("never leaves its path with failover: none, and misses what PRR's roles miss", () => {
    const topology = example("hyperx");
    const flows = flowsBetween(hostsOf(topology));
    const left = (failover: string) => {
      const { plan, policy } = planOf(topology, { failover });
      const counts = firstTries({ topology, plan, policy, flows, random: new Random(7) });
      return counts.left / counts.avoidable;
    };
    expect(left("none")).toBe(0);
    expect(left("prr")).toBeGreaterThan(0.2);
    expect(left("prr")).toBeLessThan(0.8);
    expect(left("probe")).toBe(1);
  });
});
