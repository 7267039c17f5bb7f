/** DRILL as a module: its compiled program with queues that build up, and what it refuses. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type DiagnosticError, Diagnostics, SourceFile } from "../../../src/base/index.js";
import { ProgramCompiler } from "../../../src/fabric/experiment/boot.js";
import type { SchemeRun } from "../../../src/fabric/experiment/experiment.js";
import { openExperiment, schemesOf } from "../../../src/fabric/experiment/read.js";
import {
  buildTopology,
  nodeNamed,
  switchesOf,
  type Topology,
  topologySchema,
} from "../../../src/fabric/topology/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "../../toolchain/switch/golden.js";
import { frameOf } from "../schemes/frames.js";

const path = resolve(import.meta.dirname, "../../../examples/schemes/drill.yaml");
const shape = { kind: "leaf_spine", tors: 4, leaves: 4, homing: "single", hosts_per_rack: 2 } as const;
const topology = buildTopology(topologySchema.parse(shape));

async function planOf(parameters: object, of: Topology = topology) {
  const text = readFileSync(path, "utf8");
  const opened = openExperiment(new SourceFile(path, text), new Diagnostics())!;
  const schemes = await schemesOf(opened);
  const drill = schemes[Object.keys(schemes).find((name) => name.includes("drill/"))!]!;
  return drill.plan(of, drill.parameters.parse(parameters));
}

/** The ports of packets of one flow that arrive at one instant at a ToR, whose ports send a packet a millisecond. */
async function portsOf(parameters: object, packets: number): Promise<number[]> {
  const plan = await planOf(parameters);
  const node = nodeNamed(topology, "tor0-0")!;
  const own = plan.switches.find((one) => one.node === node.index)!;
  const programs = await new ProgramCompiler().compileAll({ label: "drill", plan } as SchemeRun);
  const clock = new ManualClock();
  const ports: number[] = [];
  const device = new Switch(programs.get(own.program)!, {
    ...{ name: "tor0-0", clock, seed: 1 },
    queue: { ratePacketsPerSecond: () => 1000 },
    transmit: (port) => ports.push(port),
  });
  device.apply(own.updates);
  const [from, to] = ["host0-0-0", "host0-1-0"].map((name) => nodeNamed(topology, name)!.host!);
  const flow = { src: from!.ipv4, dst: to!.ipv4, protocol: 6, srcPort: 1000, dstPort: 80 };
  for (let i = 0; i < packets; i++)
    device.receive(1, frameOf({ family: "ipv4", flow, field: "dscp", selector: 0 }));
  clock.advance(1e12);
  expect(ports).toHaveLength(packets);
  return ports;
}

/** The most packets of a port, less the fewest of the four. */
async function spread(parameters: object): Promise<number> {
  const ports = await portsOf(parameters, 400);
  const counts = new Map<number, number>();
  for (const port of ports) counts.set(port, (counts.get(port) ?? 0) + 1);
  expect(counts.size).toBe(4);
  return Math.max(...counts.values()) - Math.min(...counts.values());
}

describe("DRILL's switch", () => {
  it("fills all queues alike where it looks at nearly all of them", async () => {
    // Eight draws of four miss the shortest queue of one in ten packets; a frame on the wire is in no queue.
    expect(await spread({ draws: 8, memory: 1 })).toBeLessThanOrEqual(2);
  });

  it("spreads one flow's packets better with two draws than with one, which is random", async () => {
    const [one, two] = [await spread({ draws: 1, memory: 0 }), await spread({ draws: 2, memory: 1 })];
    expect(two).toBeLessThanOrEqual(4);
    expect(one).toBeGreaterThan(2 * two);
  });

  it("remembers: one draw and a memory balance, one draw alone does not", async () => {
    const [none, one] = [await spread({ draws: 1, memory: 0 }), await spread({ draws: 1, memory: 1 })];
    expect(none).toBeGreaterThan(2 * one);
  });
});

describe("DRILL's plan", () => {
  it("gives every switch a row for each next hop and look", async () => {
    const { switches } = await planOf({});
    for (const { node, updates } of switches) {
      const rows = updates.filter(({ entity }) => "table" in entity && entity.table.includes("look_"));
      const { role } = switchesOf(topology).find(({ index }) => index === node)!;
      // A ToR has one set of four next hops; a leaf has single ones.
      expect(rows).toHaveLength(role === "tor" ? 3 * 4 : 0);
    }
  });

  it("refuses a fabric whose links differ, or are missing", async () => {
    const refusal = async (of: Topology) =>
      await planOf({}, of).then(
        () => undefined,
        (error: unknown) => (error as DiagnosticError).diagnostics[0]!.message,
      );
    const [first, ...links] = topology.links.toReversed();
    const slower = {
      ...topology,
      links: [...links.toReversed(), { ...first!, rateBps: first!.rateBps / 2 }],
    };
    expect(await refusal(slower)).toMatch(/symmetric fabric.*different rates/);
    expect(await refusal({ ...topology, down: new Set([topology.links.length - 1]) })).toMatch(/missing/);
    expect(await refusal(topology)).toBeUndefined();
  });
});
