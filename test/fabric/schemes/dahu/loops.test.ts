/**
 * No persistent loop (Dahu, section 3.3): over random networks, failed links, loads, thresholds and feedback, packets through the compiled
 * program arrive within as many links as a shortest path has and two for each deroute. Without congestion they take shortest paths.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { Rebalancing } from "../../../../src/fabric/schemes/dahu/policy/epoch.js";
import { HeuristicBalancer } from "../../../../src/fabric/schemes/dahu/policy/heuristic.js";
import { PortClasses } from "../../../../src/fabric/schemes/dahu/port-classes.js";
import { SwitchSoftware } from "../../../../src/fabric/schemes/dahu/switch-software.js";
import type { MapKind } from "../../../../src/fabric/schemes/dahu/virtual-port-map.js";
import {
  buildTopology,
  hostsOf,
  type Topology,
  topologySchema,
} from "../../../../src/fabric/topology/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import type { Program } from "../../../../src/toolchain/program/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { dahuOf } from "./fabric.js";
import { countedFrame } from "./scenarios.js";

const VIRTUAL_PORTS = 32;
const EPOCH_SECONDS = 0.01;
const LINK = { rate: "1Gbps", delay: "1us" };
const TTL = 64;

const programs = new Map<string, Program>();

function compiled(text: string): Program {
  let program = programs.get(text);
  if (program === undefined) {
    const diagnostics = new Diagnostics();
    program = compile({ file: new SourceFile("switch.p4", text) }, diagnostics)?.program;
    diagnostics.throwIfErrors();
    programs.set(text, program!);
  }
  return program!;
}

/** A connected graph: a random tree, and some more links. */
const graphs: fc.Arbitrary<Topology> = fc
  .integer({ min: 3, max: 7 })
  .chain((count) =>
    fc.record({
      parents: fc.tuple(...Array.from({ length: count - 1 }, (_, i) => fc.integer({ min: 0, max: i }))),
      chords: fc.uniqueArray(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), {
        maxLength: 8,
        selector: ([a, b]) => Math.min(a, b) * 8 + Math.max(a, b),
      }),
    }),
  )
  .map(({ parents, chords }) => {
    const count = parents.length + 1;
    const pairs = new Set(parents.map((parent, i) => `${parent} ${i + 1}`));
    for (const [a, b] of chords) if (a !== b) pairs.add(`${Math.min(a, b)} ${Math.max(a, b)}`);
    const names = [...Array(count).keys()];
    return buildTopology(
      topologySchema.parse({
        kind: "graph",
        name: "random",
        nodes: names.flatMap((i) => [
          { name: `s${i}`, role: "switch" },
          { name: `h${i}`, role: "host" },
        ]),
        links: [
          ...names.map((i) => ({ a: `h${i}`, b: `s${i}`, rate: "1Gbps" })),
          ...[...pairs].map((pair) => {
            const [a, b] = pair.split(" ");
            return { a: `s${a}`, b: `s${b}`, rate: "1Gbps" };
          }),
        ],
      }),
    );
  });

const lattices: fc.Arbitrary<Topology> = fc.constantFrom([3, 3], [2, 2, 2], [4, 2], [5]).map((shape) =>
  buildTopology(
    topologySchema.parse({
      kind: "hyperx",
      name: shape.join("x"),
      shape,
      hosts_per_switch: 1,
      host_link: LINK,
      fabric_link: LINK,
    }),
  ),
);

interface Case {
  readonly topology: Topology;
  readonly down: readonly number[];
  readonly deroutes: number;
  readonly threshold: number;
  readonly kind: "one" | "offset_dimensions";
  readonly map: MapKind;
  readonly loads: readonly number[];
  readonly held: readonly (readonly [number, number, number])[];
}

const cases: fc.Arbitrary<Case> = fc.oneof(graphs, lattices).chain((topology) => {
  const fabric = topology.links.filter(({ a, b }) =>
    [a, b].every(({ node }) => topology.nodes[node]!.role !== "host"),
  );
  const lattice = topology.nodes[0]!.coordinates !== undefined;
  return fc.record({
    topology: fc.constant(topology),
    down: fc.subarray(
      fabric.map(({ index }) => index),
      { maxLength: Math.min(3, fabric.length) },
    ),
    deroutes: fc.constantFrom(0, 1, 2, 4, 15),
    threshold: fc.constantFrom(0, 0.5, 0.8, 1),
    map: fc.constantFrom("register" as const, "register" as const, "copies" as const),
    kind: lattice
      ? fc.constantFrom("one" as const, "offset_dimensions" as const)
      : fc.constant("one" as const),
    loads: fc.array(fc.double({ min: 0, max: 1.2, noNaN: true }), { minLength: 8, maxLength: 40 }),
    held: fc.array(fc.tuple(fc.nat(20), fc.nat(8), fc.nat(6)), { maxLength: 4 }),
  });
});

/** The switches of a network, each as its software has left it. */
async function boot(own: Case) {
  const { topology, down, deroutes, threshold, kind, map, loads, held } = own;
  const fabric = dahuOf(topology, {
    deroutes,
    threshold,
    port_groups: kind,
    map,
    virtual_ports: VIRTUAL_PORTS,
  });
  const failed = new PortClasses(topology, new Set(down));
  const sent: { port: number; frame: Uint8Array }[] = [];
  const devices = new Map<number, Switch>();
  let mostShortest = true;
  for (const [i, each] of fabric.own.entries()) {
    const { node } = each;
    const device = new Switch(compiled(renderProgram(templates, fabric.programs[0]!)), {
      clock: { now: () => 0, at: () => () => {} },
      seed: 1,
      transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
    });
    await device.write(fabric.switches[i]!.updates);
    const software = new SwitchSoftware(each, fabric.classes, fabric.settings);
    for (const { number, link } of node.ports)
      if (down.includes(link)) await device.write(software.portChanged(number - 1, false));
    await device.write(software.routesChanged(failed, 0));
    for (const [which, rack, bit] of held)
      if (which % fabric.own.length === i && rack < topology.racks.length)
        await device.write(software.onFeedback(rack, bit, 0));
    const byPort = each.capacity.map(
      (rate, bit) => rate * EPOCH_SECONDS * (loads[(7 * i + bit) % loads.length] ?? 0),
    );
    const byGroup = new Float64Array(each.layout.members.length * each.width);
    for (const [group, bits] of each.layout.members.entries())
      for (const bit of bits) byGroup[group * each.width + bit] = byPort[bit]! / each.layout.members.length;
    const updates = software.endEpoch(
      { byPort, byGroup },
      EPOCH_SECONDS,
      0,
      new Rebalancing(new HeuristicBalancer()),
    );
    await device.write(updates);
    for (const rack of topology.racks) mostShortest &&= !software.feedsBack(rack.index);
    devices.set(node.index, device);
  }
  return { devices, sent, failed, calm: mostShortest };
}

/** The links between switches that a packet crosses, or why it did not arrive. */
function follow(
  { topology }: Case,
  { devices, sent }: Awaited<ReturnType<typeof boot>>,
  source: number,
  destination: number,
  srcPort: number,
): { links: number; deroutes: number } | "dropped" {
  const { nodes } = topology;
  const first = nodes[source]!.ports[0]!;
  let [at, ingress] = [first.peer, first.peerPort];
  let frame = countedFrame(
    {
      src: nodes[source]!.host!.ipv4,
      dst: nodes[destination]!.host!.ipv4,
      protocol: 6,
      srcPort,
      dstPort: 80,
    },
    "ipv4",
    "dscp",
    0,
  );
  for (let links = 0; links <= TTL; links++) {
    sent.length = 0;
    devices.get(at)!.receive(ingress, frame);
    const [out] = sent;
    if (out === undefined) return "dropped";
    expect(sent).toHaveLength(1);
    expect(out.port).not.toBe(ingress);
    const port = nodes[at]!.ports[out.port - 1]!;
    frame = out.frame;
    if (nodes[port.peer]!.role === "host") {
      expect(port.peer).toBe(destination);
      return { links, deroutes: frame[15]! >> 4 };
    }
    [at, ingress] = [port.peer, port.peerPort];
  }
  throw new Error(`a packet lives longer than its TTL of ${TTL}`);
}

describe("packets through Dahu's switches", () => {
  it("arrive within the links of a shortest path and two for each deroute; on shortest paths without congestion", async () => {
    const seen = { calm: 0, derouted: 0, cut: 0 };
    await fc.assert(
      fc.asyncProperty(cases, async (own) => {
        const { topology, deroutes, threshold } = own;
        const fabric = await boot(own);
        const hosts = hostsOf(topology);
        for (const [i, from] of hosts.entries())
          for (const to of hosts) {
            if (from === to) continue;
            const least = fabric.failed.distance(from.ports[0]!.peer, to.host!.rack);
            const way = follow(own, fabric, from.index, to.index, 1000 + 31 * i + to.index);
            if (least === Number.POSITIVE_INFINITY) {
              expect(way).toBe("dropped");
              seen.cut++;
              continue;
            }
            if (way === "dropped") throw new Error(`${from.name} to ${to.name} is dropped`);
            expect(way.links).toBeLessThanOrEqual(least + 2 * way.deroutes);
            expect(way.deroutes).toBeLessThanOrEqual(deroutes);
            if (fabric.calm && threshold > 0) {
              expect(way).toEqual({ links: least, deroutes: 0 });
              seen.calm++;
            } else if (way.deroutes > 0) seen.derouted++;
          }
      }),
      { numRuns: 36, seed: 7 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });
});
