/**
 * Dead ends in the flow simulator: trees, random graphs and lattices with missing links. Each bundle gets a path within the links of a
 * shortest one and two for each deroute, and a switch may use the ports that the packets' switch may use.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  groupsOfDimensions,
  groupsOfNextHops,
  oneGroup,
} from "../../../../src/fabric/schemes/dahu/fluid/group-plan.js";
import { Routes } from "../../../../src/fabric/schemes/dahu/fluid/routes.js";
import { PortClasses } from "../../../../src/fabric/schemes/dahu/port-classes.js";
import { FLOW_SIM_SCHEMES } from "../../../../src/fabric/schemes/index.js";
import { Distances, FAR, FlowNetwork, hasPort } from "../../../../src/fabric/sim/flow/index.js";
import { buildTopology, type Topology, topologySchema } from "../../../../src/fabric/topology/index.js";
import { dahuOf } from "./fabric.js";

const INITIAL = { count: 64, seed: 1 };
const LINK = { rate: "1Gbps", delay: "1us" };
const built = (spec: object) =>
  buildTopology(topologySchema.parse({ ...spec, host_link: LINK, fabric_link: LINK }));

const KINDS = {
  "a fat tree": { kind: "fat_tree", k: 4 },
  "a clos": {
    kind: "clos",
    pods: 3,
    tors_per_pod: 3,
    leaves_per_pod: 2,
    spines_per_plane: 2,
    homing: "single",
  },
  "a jellyfish of degree 3": { kind: "jellyfish", switches: 12, degree: 3, hosts_per_switch: 1, seed: 3 },
  "a jellyfish of degree 4": { kind: "jellyfish", switches: 14, degree: 4, hosts_per_switch: 1, seed: 5 },
  "a HyperX of 3 x 3": { kind: "hyperx", shape: [3, 3], hosts_per_switch: 1 },
  "a HyperX of 2 x 2": { kind: "hyperx", shape: [2, 2], hosts_per_switch: 1 },
  "a HyperX of 4 x 3 x 2": { kind: "hyperx", shape: [4, 3, 2], hosts_per_switch: 1 },
} as const;

/** The network without some links, as long as all its switches are still connected. */
function lacking(spec: object, which: readonly number[]): Topology {
  const whole = built(spec);
  const fabric = whole.links.filter(({ a, b }) =>
    [a, b].every(({ node }) => whole.nodes[node]!.role !== "host"),
  );
  let missing: [string, string][] = [];
  let result = whole;
  for (const one of which) {
    const { a, b } = fabric[one % fabric.length]!;
    const pair: [string, string] = [whole.nodes[a.node]!.name, whole.nodes[b.node]!.name];
    if (missing.some(([x, y]) => x === pair[0] && y === pair[1])) continue;
    const next = built({ ...spec, missing_links: [...missing, pair] });
    const distances = new Distances(new FlowNetwork(next));
    if (distances.to(0).includes(FAR)) continue;
    missing = [...missing, pair];
    result = next;
  }
  return result;
}

/** The links of a network that another one with the same nodes lacks. */
function linksWithout(whole: Topology, reduced: Topology): number[] {
  const key = (of: Topology, { a, b }: Topology["links"][number]) =>
    `${of.nodes[a.node]!.name} ${of.nodes[b.node]!.name}`;
  const left = new Set(reduced.links.map((link) => key(reduced, link)));
  return whole.links.filter((link) => !left.has(key(whole, link))).map(({ index }) => index);
}

const draws = fc.record({
  missing: fc.array(fc.nat(9999), { maxLength: 4 }),
  deroutes: fc.constantFrom(1, 2, 4),
  groups: fc.constantFrom("one", "offset_dimensions"),
  seed: fc.nat(1000),
});

describe.each(Object.entries(KINDS))(
  "flows through Dahu's switches in %s with missing links",
  (_name, spec) => {
    const lattice = spec.kind === "hyperx";

    it("have paths within the links of a shortest path and two for each deroute", () => {
      let derouted = 0;
      fc.assert(
        fc.property(draws, ({ missing, deroutes, groups, seed }) => {
          const network = new FlowNetwork(lacking(spec, missing));
          const fluid = FLOW_SIM_SCHEMES["dahu"]!;
          const parameters = fluid.parameters.parse({
            deroutes,
            threshold: 0,
            port_groups: lattice ? groups : "one",
            virtual_ports: 64,
          });
          const ends = [...new Set(network.switchOfRack)];
          const pairs = ends.flatMap((from) => ends.flatMap((to) => Array(4).fill({ from, to })));
          const router = fluid.router(
            network,
            parameters,
            seed,
          )({
            from: Int32Array.from(pairs, ({ from }) => from),
            to: Int32Array.from(pairs, ({ to }) => to),
            hash: Int32Array.from(pairs, (_, i) => Math.imul(i + seed, 0x9e3779b1)),
          });
          const distances = new Distances(network);
          const out = new Int32Array(64);
          for (const [bundle, { from, to }] of pairs.entries()) {
            const distance = distances.to(to);
            const links = router.linksOf(bundle, out);
            if (links < 0) throw new Error(`no path from ${from} to ${to}`);
            let own = from;
            let count = 0;
            for (let i = 0; i < links; i++) {
              const next = network.peer[network.portOfLink[out[i]!]!]!;
              if (distance[next]! >= distance[own]!) count++;
              own = next;
            }
            expect(own).toBe(to);
            expect(count).toBeLessThanOrEqual(deroutes);
            expect(links).toBeLessThanOrEqual(distance[from]! + 2 * count);
            if (count > 0) derouted++;
          }
        }),
        { numRuns: 25, seed: 11 },
      );
      expect(derouted).toBeGreaterThan(15);
    });

    it("may use the ports that packets may use", () => {
      let deadEnds = 0;
      const seenKinds = fc.constantFrom("one" as const, "next_hops" as const, "offset_dimensions" as const);
      fc.assert(
        fc.property(draws, seenKinds, fc.boolean(), ({ missing }, drawn, later) => {
          const kind = drawn === "offset_dimensions" && !lattice ? "one" : drawn;
          // The links are missing from the beginning, or fail in a running network.
          const reduced = lacking(spec, missing);
          const topology = later ? built(spec) : reduced;
          const down = new Set(later ? linksWithout(topology, reduced) : []);
          const network = new FlowNetwork(topology);
          const distances = new Distances(network);
          const locate = () => undefined;
          const plan =
            kind === "one"
              ? oneGroup(network, INITIAL)
              : kind === "next_hops"
                ? groupsOfNextHops(network, distances, INITIAL, locate)
                : groupsOfDimensions(network, INITIAL, locate);
          const routes = new Routes(network, distances, plan);
          for (const [port, link] of network.link.entries())
            distances.isDown[port] = down.has(link >> 1) ? 1 : 0;
          routes.forget();
          const intact = new PortClasses(topology, new Set());
          const classes = new PortClasses(topology, down);
          const { own: switches } = dahuOf(topology, { port_groups: kind, virtual_ports: 64 });
          for (const { node, layout } of switches) {
            const own = network.switchOf[node.index]!;
            const ports = intact.portsOf(node.index);
            expect(ports.length).toBe(network.portsOf(own));
            for (const rack of topology.racks) {
              if (rack.switches.includes(node.index)) continue;
              const shortest = classes.shortest(node.index, rack.index);
              const planned = layout.members[layout.groupOf[rack.index]!]!;
              const members = shortest.every((bit) => planned.includes(bit))
                ? planned
                : layout.members.at(-1)!;
              const further = classes.further(node.index, rack.index);
              const destination = network.switchOf[rack.switches[0]!]!;
              const bitmaps = routes.further(destination);
              const groups = plan.groups[own]!;
              const group = routes.groupOf(own, destination);
              for (const [port, { bit, link }] of ports.entries()) {
                if (down.has(link)) continue;
                const isShortest = hasPort(routes.shortest.to(destination), own * routes.words, port);
                expect(isShortest).toBe(shortest.includes(bit));
                const isMember = groups.members[group * groups.ports + port] === 1;
                expect(isMember).toBe(members.includes(bit));
                const isFurther = bitmaps === null || hasPort(bitmaps, own * routes.words, port);
                expect(isFurther).toBe(further.includes(bit));
                if (!isFurther) deadEnds++;
              }
            }
          }
        }),
        { numRuns: 15, seed: 12 },
      );
      expect(deadEnds).toBeGreaterThan(0);
    });
  },
);
