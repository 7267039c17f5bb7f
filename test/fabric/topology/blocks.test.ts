/** Networks of server blocks, sites of B4, and maps: how many nodes and links, who is linked with whom, and which ways there are. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../src/base/index.js";
import {
  buildTopology,
  computeRoutes,
  nodeNamed,
  switchesOf,
  type Topology,
  tierOf,
  topologySchema,
} from "../../../src/fabric/topology/index.js";
import { build, example, messagesOf } from "./load.js";

function fabricLinks({ links, nodes }: Topology): number {
  return links.filter(({ a }) => nodes[a.node]!.role !== "host").length;
}

function nextHops(topology: Topology, from: string, to: string): string[] {
  const node = nodeNamed(topology, from)!;
  const table = computeRoutes(topology).find((own) => own.node === node.index)!;
  const rack = topology.racks[nodeNamed(topology, to)!.host!.rack]!;
  const pod = topology.pods[rack.pod]!;
  const route =
    table.routes.find(({ ipv4 }) => ipv4.address === rack.ipv4.address && ipv4.length === 24) ??
    table.routes.find(({ ipv4 }) => ipv4.address === pod.ipv4.address && ipv4.length === 16) ??
    table.routes.find(({ ipv4 }) => ipv4.length === 0);
  return table.hopSets[route!.hops]!.ports.map((port) => topology.nodes[node.ports[port - 1]!.peer]!.name);
}

const size = fc.integer({ min: 1, max: 4 });

describe("a Jupiter-like Clos", () => {
  it("has the links that its parameters say, in five stages", () => {
    fc.assert(
      fc.property(fc.tuple(size, size, size, size, size, size, size, size), (numbers) => {
        const [blocks, tors, second, third, parallel, spines, fourth, fifth] = numbers;
        const topology = build({
          kind: "jupiter",
          server_blocks: blocks,
          tors_per_block: tors,
          stage2_per_block: second,
          stage3_per_block: third,
          tor_links: parallel,
          spine_blocks: spines,
          stage4_per_server_block: fourth,
          stage5_per_spine_block: fifth,
          hosts_per_rack: 1,
        });
        const inBlock = tors * second * parallel + second * third;
        const inSpine = blocks * (fourth * third + fourth * fifth);
        expect(fabricLinks(topology)).toBe(blocks * inBlock + spines * inSpine);
        expect(switchesOf(topology).map(tierOf).sort()[0]).toBe(1);
        for (const { a, b } of topology.links)
          expect(tierOf(topology.nodes[b.node]!) - tierOf(topology.nodes[a.node]!)).toBe(1);
      }),
      { numRuns: 30 },
    );
  });

  it("leads packets between blocks over the fifth stage, and those within a block no higher than needed", () => {
    const topology = example("jupiter");
    expect(nextHops(topology, "s3b0-1", "host1-0-0")).toEqual([
      "s4p0-0-0",
      "s4p0-0-1",
      "s4p1-0-0",
      "s4p1-0-1",
    ]);
    expect(nextHops(topology, "s4p0-0-1", "host1-0-0")).toEqual([0, 1, 2, 3].map((i) => `s5p0-${i}`));
    expect(nextHops(topology, "s5p0-2", "host1-0-0")).toEqual(["s4p0-1-0", "s4p0-1-1"]);
    expect(nextHops(topology, "s2b1-0", "host1-0-0")).toEqual(["tor1-0", "tor1-0"]);
    expect(nextHops(topology, "tor1-1", "host1-0-0")).toHaveLength(2 * 4);
  });
});

describe("a spineless mesh", () => {
  it("joins all pairs of blocks, or the next two each way, by this number of links over all switches of the third stage", () => {
    for (const [wiring, blocks, pairs] of [
      ["full", 3, 3],
      ["ring", 8, 16],
    ] as const) {
      const topology = build({
        kind: "spineless",
        wiring,
        blocks,
        tors_per_block: 2,
        stage2_per_block: 8,
        stage3_per_block: 8,
        links_per_pair: 16,
        hosts_per_rack: 1,
      });
      const between = topology.links.filter(
        ({ a, b }) => tierOf(topology.nodes[a.node]!) === 3 && tierOf(topology.nodes[b.node]!) === 3,
      );
      expect(between).toHaveLength(16 * pairs);
      const ends = new Map<number, number>();
      for (const { a, b } of between)
        for (const { node } of [a, b]) ends.set(node, (ends.get(node) ?? 0) + 1);
      expect([...new Set(ends.values())]).toEqual([(2 * 16 * pairs) / (blocks * 8)]);
    }
  });

  it("refuses a ring in which two blocks would be joined twice", () => {
    const spec = {
      kind: "spineless" as const,
      wiring: "ring" as const,
      blocks: 4,
      tors_per_block: 1,
      stage2_per_block: 1,
      stage3_per_block: 1,
      links_per_pair: 1,
    };
    expect(messagesOf(() => build(spec))).toContain("error[P42109]: the ring has 4 blocks");
  });
});

describe("a site of B4", () => {
  it("joins the supernodes with each other and each edge with all cores of its supernode", () => {
    const topology = example("stargate");
    expect(fabricLinks(topology)).toBe(4 * 16 + 6 * 4);
    expect(nextHops(topology, "edge0-0", "host3-2-0")).toEqual([
      "core0-0",
      "core0-1",
      "core0-2",
      "core0-3",
      "edge3-0",
    ]);
    expect(nextHops(topology, "edge0-2", "host3-2-0")).toEqual(["edge3-2"]);
  });
});

describe("a map", () => {
  const of = (text: string) =>
    buildTopology(
      topologySchema.parse({ kind: "map", map: "m.txt", hosts_per_switch: 1 }),
      undefined,
      () => new SourceFile("m.txt", text),
    );

  it("has a link once, with its weight, whichever way round the file has it", () => {
    const topology = of("# two routers\nParis Rome 3.5\nRome Paris 4\nRome Oslo 2 # by sea\n");
    expect(switchesOf(topology).map(({ name }) => name)).toEqual(["nParis", "nRome", "nOslo"]);
    expect(topology.links.flatMap(({ cost }) => cost ?? [])).toEqual([3.5, 2]);
  });

  it("of the package has the routers and links that its source has", () => {
    const topology = example("exodus");
    expect([switchesOf(topology).length, fabricLinks(topology)]).toEqual([79, 147]);
  });

  it("names the line that is no link", () => {
    expect(messagesOf(() => of("a b 1\na b\n"))).toContain('m.txt:2:1: error[P42112]: "a b" is no link');
    expect(messagesOf(() => of("a b 0\n"))).toContain("P42112");
    expect(messagesOf(() => of("a a 1\n"))).toContain('a link leads from "a" to itself');
    expect(messagesOf(() => of("# nothing\n"))).toContain("the map has no links");
  });
});
