/** Next hops, disjoint routes and Dahu's ports and walks on drawn networks, also with pairs that no route joins. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneGroup } from "../../src/fabric/schemes/dahu/fluid/group-plan.js";
import { DahuRouter } from "../../src/fabric/schemes/dahu/fluid/router.js";
import type { Rebalancing } from "../../src/fabric/schemes/dahu/policy/epoch.js";
import { PortClasses } from "../../src/fabric/schemes/dahu/port-classes.js";
import { Distances, FlowNetwork } from "../../src/fabric/sim/flow/index.js";
import {
  buildTopology,
  computeRoutes,
  DisjointPaths,
  type Topology,
  topologySchema,
} from "../../src/fabric/topology/index.js";
import { allowedNext, hyperX, meanHops, walkFrom } from "../models/deroute-walk.js";
import { toNumber } from "../models/fraction.js";
import { distances, type Graph, nextHops, nodeDisjoint } from "../models/graph.js";

/** Switches 0, 1, ... with one host each. */
function networkOf({ nodes, edges }: Graph): Topology {
  return buildTopology(
    topologySchema.parse({
      kind: "graph",
      nodes: [
        ...Array.from({ length: nodes }, (_, i) => ({ name: `s${i}`, role: "switch" })),
        ...Array.from({ length: nodes }, (_, i) => ({ name: `h${i}`, role: "host" })),
      ],
      links: [
        ...edges.map(([a, b]) => ({ a: `s${a}`, b: `s${b}` })),
        ...Array.from({ length: nodes }, (_, i) => ({ a: `s${i}`, b: `h${i}` })),
      ],
    }),
  );
}

/** Graphs without parallel links; some fall apart. */
const graphs = fc
  .record({
    nodes: fc.integer({ min: 2, max: 8 }),
    chance: fc.double({ min: 0.15, max: 0.9, noNaN: true }),
    seed: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  })
  .map(({ nodes, chance, seed }): Graph => {
    const edges: [number, number][] = [];
    for (let a = 0; a < nodes; a++)
      for (let b = a + 1; b < nodes; b++) if (seed.next().value! < chance) edges.push([a, b]);
    return { nodes, edges };
  });

const index = (topology: Topology, name: string): number =>
  topology.nodes.findIndex((node) => node.name === name);
const numberOf = (topology: Topology, node: number): number => Number(topology.nodes[node]!.name.slice(1));

describe("routes", () => {
  it("are the next hops of a breadth-first search, and none where there is no way", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const topology = networkOf(graph);
        const tables = new Map(computeRoutes(topology).map((table) => [table.node, table]));
        for (let from = 0; from < graph.nodes; from++) {
          const own = index(topology, `s${from}`);
          const { routes, hopSets } = tables.get(own)!;
          for (let to = 0; to < graph.nodes; to++) {
            if (from === to) continue;
            const { ipv4 } = topology.nodes[index(topology, `h${to}`)]!.host!;
            const best = routes
              .filter(
                ({ ipv4: { address, length } }) =>
                  length === 0 || (address ^ ipv4) >> BigInt(32 - length) === 0n,
              )
              .sort((a, b) => b.ipv4.length - a.ipv4.length)[0];
            const ports = best === undefined ? [] : hopSets[best.hops]!.ports;
            const peers = ports.map((port) => numberOf(topology, topology.nodes[own]!.ports[port - 1]!.peer));
            const wanted = nextHops(graph, from, to).map((hop) => hop.to);
            // A default route may lead to what cannot be reached; the others have no port then.
            if (wanted.length === 0) expect(best?.ipv4.length === 0 || peers.length === 0).toBe(true);
            else expect([...peers].sort()).toEqual([...wanted].sort());
          }
        }
      }),
    );
  });

  it("without a common switch are as many as a maximum flow finds", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const topology = networkOf(graph);
        const search = new DisjointPaths(topology);
        for (let to = 1; to < graph.nodes; to++) {
          const paths = search.between([index(topology, "s0")], [index(topology, `s${to}`)], 10);
          const most = nodeDisjoint(graph, 0, to);
          // With one, a second path may be given that shares what both must cross.
          if (most === 1) expect([1, 2]).toContain(paths.length);
          else expect(paths.length).toBe(most);
          if (most < 2) continue;
          const inner = paths.flatMap(({ nodes }) => nodes.slice(1, -1));
          expect(new Set(inner).size).toBe(inner.length);
        }
      }),
    );
  });
});

describe("Dahu", () => {
  it("allows the ports of the rules: shortest ones, and all others but those to dead ends", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const topology = networkOf(graph);
        const classes = new PortClasses(topology, new Set());
        for (let to = 0; to < graph.nodes; to++) {
          const rack = topology.nodes[index(topology, `h${to}`)]!.host!.rack;
          const far = distances(graph, to);
          for (let at = 0; at < graph.nodes; at++) {
            if (at === to) continue;
            const own = index(topology, `s${at}`);
            const peersOf = (bits: readonly number[]) =>
              bits.map((bit) => numberOf(topology, topology.nodes[own]!.ports[bit]!.peer)).sort();
            const walk = { graph, target: to, deroutes: 1 };
            const reached = far[at] !== Number.POSITIVE_INFINITY;
            expect(peersOf(classes.further(own, rack))).toEqual(
              reached ? allowedNext(walk, at, undefined, 0).sort() : [],
            );
            expect(peersOf(classes.shortest(own, rack))).toEqual(
              nextHops(graph, at, to)
                .map((hop) => hop.to)
                .sort(),
            );
          }
        }
      }),
    );
  });

  /** Links of so many flows from one switch to another that deroute by chance. */
  function hopsOf(graph: Graph, from: number, to: number, deroutes: number, flows: number): number[] {
    const topology = networkOf(graph);
    const network = new FlowNetwork(topology);
    const own = (node: number) => network.switchOf[index(topology, `s${node}`)]!;
    const policy = {
      network,
      distances: new Distances(network),
      plan: oneGroup(network, { count: 1024, seed: 5 }),
      settings: {
        deroutes,
        // Any load is above it, so that all ports may be used.
        rule: { threshold: 0, offThreshold: 0, offEpochs: 1 },
        virtualPorts: 1024,
        feedback: false,
        countsVirtualPorts: false,
        propagationNs: 1e6,
        holdNs: 5e6,
      },
      rebalancing: { rebalance: () => {} } as unknown as Rebalancing,
      seed: 7,
    };
    const router = new DahuRouter(policy, {
      from: new Int32Array(flows).fill(own(from)),
      to: new Int32Array(flows).fill(own(to)),
      hash: Int32Array.from({ length: flows }, (_, i) => Math.imul(i + 1, 0x9e3779b1)),
    });
    const byLink = new Float64Array(network.capacity.length).fill(1);
    router.endEpoch({ nowNs: 1e7, epochNs: 1e7, byLink, eachBundle: () => {} });
    const out = new Int32Array(64);
    return Array.from({ length: flows }, (_, flow) => router.linksOf(flow, out));
  }

  it("takes as many links in the flow simulator as the chain says, also with links missing", () => {
    const shapes = [[3, 3], [4, 3], [5], [2, 2, 2]];
    fc.assert(
      fc.property(
        fc.constantFrom(...shapes),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.nat(99), { maxLength: 2 }),
        fc.nat(999),
        (shape, deroutes, missing, pair) => {
          const whole = hyperX(shape).graph;
          const gone = new Set(missing.map((value) => value % whole.edges.length));
          const graph = { ...whole, edges: whole.edges.filter((_, edge) => !gone.has(edge)) };
          const [from, to] = [pair % graph.nodes, (pair + 1 + (pair % (graph.nodes - 1))) % graph.nodes];
          fc.pre(from !== to && distances(graph, to)[from] !== Number.POSITIVE_INFINITY);
          const walk = walkFrom({ graph, target: to, deroutes }, from);
          const mean = toNumber(meanHops(walk));
          const spread = Math.sqrt(
            [...walk.hops].reduce((all, [count, share]) => all + toNumber(share) * (count - mean) ** 2, 0),
          );
          const flows = 1500;
          const found = hopsOf(graph, from, to, deroutes, flows);
          expect(Math.min(...found)).toBeGreaterThan(0);
          expect(Math.max(...found)).toBeLessThanOrEqual(Math.max(...walk.hops.keys()));
          const average = found.reduce((a, b) => a + b, 0) / flows;
          // Five standard errors, and 0.03 for maps of virtual ports, which are even only to one in 1,024.
          expect(Math.abs(average - mean)).toBeLessThan((5 * spread) / Math.sqrt(flows) + 0.03);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("does not stop where a switch hangs on one other alone", () => {
    const graph: Graph = {
      nodes: 4,
      edges: [
        [0, 1],
        [0, 2],
        [0, 3],
        [1, 3],
      ],
    };
    expect(Math.min(...hopsOf(graph, 0, 1, 2, 300))).toBe(1);
  });
});
