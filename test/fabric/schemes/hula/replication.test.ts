/** Where probes go: along every shortest path backwards, along no other, and never round. */
import { describe, expect, it } from "vitest";
import { onwardPorts, switchPorts } from "../../../../src/fabric/schemes/hula/probes.js";
import { hula } from "../../../../src/fabric/schemes/registry.js";
import {
  buildTopology,
  computeRoutes,
  type Topology,
  type TopologyInput,
  topologySchema,
} from "../../../../src/fabric/topology/index.js";
import { example } from "../../topology/load.js";

const FABRICS: Record<string, TopologyInput> = {
  "leaf-spine": { kind: "leaf_spine", tors: 4, leaves: 3, homing: "single" },
  "leaf-spine, dual homing": { kind: "leaf_spine", tors: 4, leaves: 3 },
  "fat tree": { kind: "fat_tree", k: 4 },
  "Clos, dual homing": { kind: "clos", pods: 3, tors_per_pod: 4, leaves_per_pod: 2, spines_per_plane: 2 },
  "Clos, mesh": {
    kind: "clos",
    pods: 2,
    tors_per_pod: 2,
    leaves_per_pod: 3,
    spines_per_plane: 2,
    wiring: "mesh",
    homing: "single",
  },
};

/** By switch: the ports at which probes of a rack come in when every switch sends each one on. Throws where one goes round. */
function arrivals(topology: Topology, rack: number): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>();
  const follow = (node: number, ports: readonly number[], way: readonly number[]) => {
    for (const port of ports) {
      const { peer, peerPort } = topology.nodes[node]!.ports[port - 1]!;
      if (way.includes(peer)) throw new Error(`a probe comes to ${topology.nodes[peer]!.name} twice`);
      found.set(peer, (found.get(peer) ?? new Set()).add(peerPort));
      follow(peer, onwardPorts(topology, topology.nodes[peer]!, peerPort), [...way, peer]);
    }
  };
  for (const tor of topology.racks[rack]!.switches)
    follow(tor, switchPorts(topology, topology.nodes[tor]!), [tor]);
  return found;
}

describe.each(Object.keys(FABRICS))("probes in a %s", (name) => {
  const topology = buildTopology(topologySchema.parse(FABRICS[name]!));

  it("come by exactly the ports of the shortest paths to their rack", () => {
    const tables = computeRoutes(topology);
    for (const rack of topology.racks) {
      const found = arrivals(topology, rack.index);
      for (const { node, hopSets, routes } of tables) {
        if (rack.switches.includes(node)) continue;
        const route = routes
          .filter(({ ipv4: { address, length } }) => {
            const shift = BigInt(32 - length);
            return length <= rack.ipv4.length && address >> shift === rack.ipv4.address >> shift;
          })
          .sort((a, b) => b.ipv4.length - a.ipv4.length)[0]!;
        expect([...(found.get(node) ?? [])].sort((a, b) => a - b)).toEqual(hopSets[route.hops]!.ports);
      }
    }
  });
});

describe("the plan", () => {
  it("starts probes at all ToRs of a rack, and at them alone", () => {
    const topology = example("clos");
    const { switches } = hula.plan(topology, hula.parameters.parse({}));
    const starting = switches.filter(({ generators }) => generators !== undefined).map(({ node }) => node);
    expect(starting).toEqual(topology.racks.flatMap((rack) => rack.switches).sort((a, b) => a - b));
  });

  it("reports the share of a link that the probes take", () => {
    const topology = buildTopology(
      topologySchema.parse({
        kind: "leaf_spine",
        tors: 4,
        leaves: 4,
        homing: "single",
        fabric_link: { rate_pps: 20 },
      }),
    );
    const { notes } = hula.plan(topology, hula.parameters.parse({ probe_interval: "2s" }));
    expect(notes).toEqual([
      "HULA: a probe of 60 bytes each 2000 ms from each of 4 racks takes up to 10 % of a link between switches.",
    ]);
  });

  it("is refused for networks without tiers, and for an age below an interval", () => {
    const ring = buildTopology(
      topologySchema.parse({ kind: "dring", supernodes: 5, switches_per_supernode: 1 }),
    );
    expect(() => hula.plan(ring, hula.parameters.parse({}))).toThrow(
      /P45102\]: probes of HULA run up and down/,
    );
    const short = hula.parameters.parse({ ageing: "100us" });
    expect(() => hula.plan(example("clos"), short)).toThrow(/P45103\]: ageing, 0.1 ms, is shorter/);
  });
});
