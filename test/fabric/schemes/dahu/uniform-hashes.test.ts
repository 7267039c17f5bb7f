/**
 * The sixteen hashes of section 3.2 under an exact model: a switch that excludes the port by which a packet came picks each of the other
 * M - 1 members of a group with the probability 1 / (M - 1), for even M, too.
 */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { FLOW_SIM_SCHEMES } from "../../../../src/fabric/schemes/index.js";
import { FlowNetwork, mixed } from "../../../../src/fabric/sim/flow/index.js";
import { buildTopology, hostsOf, topologySchema } from "../../../../src/fabric/topology/index.js";
import { renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { Switch } from "../../../../src/toolchain/switch/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { dahuOf } from "./fabric.js";
import { countedFrame } from "./scenarios.js";

const LINK = { rate: "1Gbps", delay: "1us" };
const hyperx = (shape: readonly number[]) =>
  buildTopology(
    topologySchema.parse({ kind: "hyperx", shape, hosts_per_switch: 1, host_link: LINK, fabric_link: LINK }),
  );

/** The shares of a switch's ports, all but the ingress port: the largest deviation from 1 / (M - 1). */
function worst(counts: readonly number[], ingress: number): number {
  const others = counts.filter((_, port) => port !== ingress);
  const total = others.reduce((sum, count) => sum + count, 0);
  expect(counts[ingress]).toBe(0);
  return Math.max(...others.map((count) => Math.abs(count / total - 1 / others.length)));
}

/** Bundles between the farthest switches with three deroutes: their choices at switches that they reach by a deroute. */
function flows(shape: readonly number[], seed: number): number[][][] {
  const network = new FlowNetwork(hyperx(shape));
  const fluid = FLOW_SIM_SCHEMES["dahu"]!;
  const last = network.switches - 1;
  const count = 30_000;
  const router = fluid.router(
    network,
    fluid.parameters.parse({ deroutes: 15, threshold: 0 }),
    seed,
  )({
    from: new Int32Array(count),
    to: new Int32Array(count).fill(last),
    hash: Int32Array.from({ length: count }, (_, i) => mixed(i + 1)),
  });
  const out = new Int32Array(64);
  // By switch and ingress port: counts of egress ports.
  const seen = Array.from({ length: network.switches }, (_, own) =>
    Array.from({ length: network.portsOf(own) }, () => new Array<number>(network.portsOf(own)).fill(0)),
  );
  for (let bundle = 0; bundle < count; bundle++) {
    const links = router.linksOf(bundle, out);
    for (let i = 1; i < Math.min(links, 8); i++) {
      const before = network.portOfLink[out[i - 1]!]!;
      const port = network.portOfLink[out[i]!]!;
      const own = network.peer[before]!;
      seen[own]![network.peerPort[before]!]![port - network.firstPort[own]!]!++;
    }
  }
  return seen;
}

describe("the hashes of a flow", () => {
  it.each([[[3, 3]], [[3, 3, 3]], [[9]], [[4, 4]]])("pick each other port of HyperX %j as often", (shape) => {
    const rows: { deviation: number; total: number }[] = [];
    for (const seed of [1, 2])
      for (const byIngress of flows(shape, seed))
        for (const [ingress, counts] of byIngress.entries()) {
          const total = counts.reduce((sum, count) => sum + count, 0);
          if (total > 3000) rows.push({ deviation: worst(counts, ingress), total });
        }
    expect(rows.length).toBeGreaterThan(3);
    // Four standard deviations of a share of a half at 3,000 draws are 0.036; members in turn give 0.08 and more for 3 x 3.
    const mean = rows.reduce((sum, { deviation }) => sum + deviation, 0) / rows.length;
    expect(Math.max(...rows.map(({ deviation }) => deviation))).toBeLessThan(0.045);
    expect(mean).toBeLessThan(0.016);
  });
});

describe("the hashes of a packet", () => {
  it.each([
    ["register", [3, 3]],
    ["copies", [3, 3]],
    ["register", [3, 3, 3]],
  ] as const)("with the map as %s pick each other port of HyperX %j as often", async (map, shape) => {
    const topology = hyperx(shape);
    const fabric = dahuOf(topology, { deroutes: 1, threshold: 0, map });
    const diagnostics = new Diagnostics();
    const text = renderProgram(templates, fabric.programs[0]!);
    const program = compile({ file: new SourceFile("switch.p4", text) }, diagnostics)!.program;
    const { node } = fabric.own[0]!;
    const counts = node.ports.map(() => 0);
    const device = new Switch(program, {
      clock: { now: () => 0, at: () => () => {} },
      seed: 1,
      transmit: (port) => counts[port - 1]!++,
    });
    await device.write(fabric.switches[0]!.updates);
    const hosts = hostsOf(topology);
    const destination = hosts.at(-1)!;
    const ingress = node.ports.find(({ peer }) => topology.nodes[peer]!.role !== "host")!.number;
    for (let i = 0; i < 6000; i++) {
      const src = hosts[1 + (i % (hosts.length - 2))]!;
      device.receive(
        ingress,
        countedFrame(
          {
            src: src.host!.ipv4,
            dst: destination.host!.ipv4,
            protocol: 6,
            srcPort: 1024 + 7 * i,
            dstPort: 80,
          },
          "ipv4",
          "dscp",
          0,
        ),
      );
    }
    const fabricPorts = node.ports.filter(({ peer }) => topology.nodes[peer]!.role !== "host");
    const shares = fabricPorts.map(({ number }) => counts[number - 1]!);
    // Five standard deviations of a third at 6,000 draws.
    expect(worst(shares, 0)).toBeLessThan(0.03);
  });
});
