import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hostsOf,
  nodeNamed,
  switchesOf,
  type Topology,
  topologySchema,
} from "../../../src/fabric/topology/index.js";
import { build, example, exampleKinds, exampleNames, loadTopology, messagesOf } from "./load.js";

const clos = fc.record({
  kind: fc.constant("clos" as const),
  pods: fc.integer({ min: 1, max: 4 }),
  tors_per_pod: fc.integer({ min: 1, max: 3 }).map((n) => 2 * n),
  leaves_per_pod: fc.integer({ min: 1, max: 5 }),
  spines_per_plane: fc.integer({ min: 1, max: 4 }),
  hosts_per_rack: fc.integer({ min: 1, max: 3 }),
  homing: fc.constantFrom("single" as const, "dual" as const),
  wiring: fc.constantFrom("planes" as const, "mesh" as const),
});

function neighbours(topology: Topology, name: string): string[] {
  return nodeNamed(topology, name)!.ports.map((port) => topology.nodes[port.peer]!.name);
}

describe("the Clos generator", () => {
  it("has as many nodes and links as its parameters say", () => {
    fc.assert(
      fc.property(clos, (spec) => {
        const topology = build(spec);
        const dual = spec.homing === "dual";
        const racks = (spec.pods * spec.tors_per_pod) / (dual ? 2 : 1);
        const planes = spec.wiring === "mesh" ? 1 : spec.leaves_per_pod;
        expect(hostsOf(topology)).toHaveLength(racks * spec.hosts_per_rack);
        expect(switchesOf(topology, "tor")).toHaveLength(spec.pods * spec.tors_per_pod);
        expect(switchesOf(topology, "leaf")).toHaveLength(spec.pods * spec.leaves_per_pod);
        expect(switchesOf(topology, "spine")).toHaveLength(planes * spec.spines_per_plane);
        expect(topology.racks).toHaveLength(racks);
        const inPod = spec.tors_per_pod * spec.leaves_per_pod + spec.leaves_per_pod * spec.spines_per_plane;
        expect(topology.links).toHaveLength(racks * spec.hosts_per_rack * (dual ? 2 : 1) + spec.pods * inPod);
      }),
      { numRuns: 50 },
    );
  });

  it("numbers ports from 1 and joins them in pairs", () => {
    fc.assert(
      fc.property(clos, (spec) => {
        const { nodes, links } = build(spec);
        for (const node of nodes) {
          for (const [i, port] of node.ports.entries()) {
            expect(port.number).toBe(i + 1);
            const back = nodes[port.peer]!.ports[port.peerPort - 1]!;
            expect([back.peer, back.peerPort, back.link]).toEqual([node.index, port.number, port.link]);
            const { a, b } = links[port.link]!;
            expect([a, b]).toContainEqual({ node: node.index, port: port.number });
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it("gives every host one address inside its rack's prefix, and every node a MAC", () => {
    fc.assert(
      fc.property(clos, (spec) => {
        const topology = build(spec);
        const hosts = hostsOf(topology);
        expect(new Set(hosts.map((h) => h.host!.ipv4)).size).toBe(hosts.length);
        expect(new Set(hosts.map((h) => h.host!.ipv6)).size).toBe(hosts.length);
        expect(new Set(topology.nodes.map((n) => n.mac)).size).toBe(topology.nodes.length);
        for (const { index, host } of hosts) {
          const rack = topology.racks[host!.rack]!;
          expect(rack.hosts).toContain(index);
          const pod = topology.pods[rack.pod]!;
          for (const [address, bits, ...prefixes] of [
            [host!.ipv4, 32, rack.ipv4, pod.ipv4],
            [host!.ipv6, 128, rack.ipv6, pod.ipv6],
          ] as const) {
            for (const prefix of prefixes) {
              const shift = BigInt(bits - prefix.length);
              expect(address >> shift).toBe(prefix.address >> shift);
            }
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it("wires planes: leaf k of every pod to the spines of plane k", () => {
    const topology = example("clos");
    expect(neighbours(topology, "leaf1-2")).toEqual([
      ...["tor1-0", "tor1-1", "tor1-2", "tor1-3"],
      ...["spine2-0", "spine2-1", "spine2-2", "spine2-3"],
    ]);
    expect(neighbours(topology, "spine2-0")).toEqual(["leaf0-2", "leaf1-2"]);
  });

  it("wires a mesh: every leaf to every spine", () => {
    const topology = build({
      ...{ kind: "clos", pods: 2, tors_per_pod: 2, leaves_per_pod: 3, spines_per_plane: 2 },
      wiring: "mesh",
    });
    expect(neighbours(topology, "spine1")).toEqual([
      ...["leaf0-0", "leaf0-1", "leaf0-2"],
      ...["leaf1-0", "leaf1-1", "leaf1-2"],
    ]);
  });

  it("links dual-homed hosts to both ToRs of a pair, single-homed hosts to one ToR", () => {
    expect(neighbours(example("clos"), "host1-1-0")).toEqual(["tor1-2", "tor1-3"]);
    expect(neighbours(example("asymmetric"), "host1-1-0")).toEqual(["tor1-1"]);
  });

  it("leaves out missing links, named in either order", () => {
    const base = { kind: "clos", pods: 1, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 1 } as const;
    const topology = build({
      ...base,
      missing_links: [
        ["leaf0-1", "tor0-0"],
        ["leaf0-0", "spine0-0"],
      ],
    });
    expect(neighbours(topology, "tor0-0")).not.toContain("leaf0-1");
    expect(neighbours(topology, "tor0-1")).toContain("leaf0-1");
    expect(neighbours(topology, "spine0-0")).toEqual([]);
  });

  it("keeps rates and delays by kind of link", () => {
    const { links, nodes } = example("clos");
    for (const link of links) {
      const host = nodes[link.a.node]!.role === "host";
      expect([link.rateBps, link.delayNs]).toEqual([100e9, host ? 500 : 1000]);
    }
  });
});

describe("a graph", () => {
  it("takes nodes and links as listed, hosts' end first", () => {
    const topology = build({
      kind: "graph",
      nodes: [
        { name: "s", role: "switch" },
        { name: "h", role: "host" },
      ],
      links: [{ a: "s", b: "h", rate: "10Gbps", delay: "2us" }],
    });
    expect(topology.links[0]).toEqual({
      index: 0,
      a: { node: 1, port: 1 },
      b: { node: 0, port: 1 },
      rateBps: 10e9,
      delayNs: 2000,
    });
  });
});

describe("examples and wrong inputs", () => {
  it("each kind has one, as docs/experiments.md says", () => {
    const kinds = topologySchema.options.map(({ shape }) => shape.kind.value);
    expect([...new Set(exampleKinds())].toSorted()).toEqual(kinds.toSorted());
  });

  it.each(exampleNames())("examples/topologies/%s.yaml is a network", (name) => {
    expect(hostsOf(example(name)).length).toBeGreaterThan(1);
  });

  it.each(readdirSync(join(import.meta.dirname, "../../bad/topology")))(
    "%s is refused where it is wrong",
    (file) => {
      const message = messagesOf(() => loadTopology(`test/bad/topology/${file}`));
      expect(message).toContain(`error[${file.slice(0, 6)}]`);
      expect(message).toMatchSnapshot();
    },
  );
});
