/**
 * The generated programs on our switch and on real BMv2: the same state, the same packets in, and the same packets
 * out of every port in the same order. Ours runs what our compiler made; BMv2 runs that too, and what p4c made.
 */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, toHex } from "../../src/base/index.js";
import { schemeNamed } from "../../src/fabric/schemes/index.js";
import { nodeNamed } from "../../src/fabric/topology/index.js";
import type { Match, ReadQuery, Update } from "../../src/toolchain/device/index.js";
import { type ProgramPlan, renderProgram, withFaultTables } from "../../src/toolchain/generate/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { PROBES, type ProbeName, probeSet } from "../fabric/schemes/probe-set.js";
import { example } from "../fabric/topology/load.js";
import { templates } from "../toolchain/generate/load.js";
import { BMV2, compileWithP4c, NO_BMV2, P4C, type PortFrame, playOnBmv2 } from "./bmv2.js";
import { mixedPackets } from "./packets.js";

const topology = example("clos");
const COUNTERS: ReadQuery[] = [
  { kind: "counter", counter: "FabricIngress.drops" },
  { kind: "directCounter", table: "FabricIngress.ipv4_routes" },
  { kind: "directCounter", table: "FabricIngress.ipv6_routes" },
];

function compiled(plan: ProgramPlan): { text: string; program: Program } {
  const text = renderProgram(templates, plan);
  const diagnostics = new Diagnostics();
  const result = compile({ file: new SourceFile(`${plan.name}.p4`, text) }, diagnostics);
  diagnostics.throwIfErrors();
  return { text, program: result!.program };
}

async function playOnOurs(program: Program, updates: readonly Update[], packets: readonly PortFrame[]) {
  const sent: PortFrame[] = [];
  const device = new Switch(undefined, {
    clock: { now: () => 0, at: () => () => {} },
    seed: 1,
    transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
  });
  await device.load(program);
  await device.write(updates);
  for (const { port, frame } of packets) device.receive(port, Uint8Array.from(frame));
  return { sent, state: await device.read(COUNTERS) };
}

/** One line a packet, port by port. */
function byPort(sent: readonly PortFrame[]): string[] {
  const lines = sent.map(({ port, frame }, i) => ({ port, i, line: `${port}: ${toHex(frame)}` }));
  return lines.sort((a, b) => a.port - b.port || a.i - b.i).map(({ line }) => line);
}

function fault(priority: number, ...match: Match[]): Update {
  const action = { kind: "action", action: "FabricEgress.lose", params: {} } as const;
  return {
    type: "insert",
    entity: { kind: "tableEntry", table: "FabricEgress.faults", match, priority, action },
  };
}
const port = (which: "ingress" | "egress", value: number): Match => ({
  kind: "ternary",
  field: `standard_metadata.${which}_port`,
  value: BigInt(value),
  mask: 0x1ffn,
});

const CASES = ["pecmp", "prr", "clove", "ecmp", "repac", "hashing", "wcmp", "plb", "spray", "reps"].flatMap(
  (scheme) => ["tor0-0", "leaf1-1", "spine2-0"].map((name) => ({ scheme, name })),
);

describe.skipIf(BMV2 === undefined)(`on BMv2${BMV2 === undefined ? ` (${NO_BMV2})` : ""}`, () => {
  it.concurrent.each(CASES)(
    "$scheme, $name: 2,000 packets",
    async ({ scheme: schemeName, name }) => {
      const scheme = schemeNamed(schemeName)!;
      const plan = scheme.plan(topology, scheme.parameters.parse({}));
      const node = nodeNamed(topology, name)!;
      const planned = plan.switches.find((own) => own.node === node.index)!;
      const { text, program } = compiled(
        withFaultTables(plan.programs.find((own) => own.name === planned.program)!),
      );
      const faults = [fault(1, port("ingress", 2)), fault(2, port("egress", 1), port("ingress", 1))];
      const updates = [...planned.updates, ...faults];
      const packets = mixedPackets(topology, node, 2000);
      const ours = await playOnOurs(program, updates, packets);
      const job = {
        updates,
        packets,
        ports: node.ports.length + 1,
        expected: ours.sent.length,
        read: COUNTERS,
      };
      const theirs = await playOnBmv2({ ...job, program });
      expect(byPort(theirs.sent)).toEqual(byPort(ours.sent));
      expect(theirs.state).toEqual(ours.state);
      // Packets pass and packets are dropped, else the comparison would say little.
      expect(ours.sent.length).toBeGreaterThan(400);
      expect(ours.sent.length).toBeLessThan(1900);
      if (P4C === undefined) return;
      const another = await playOnBmv2({ ...job, program: compileWithP4c(text) });
      expect(byPort(another.sent)).toEqual(byPort(ours.sent));
      expect(another.state).toEqual(ours.state);
    },
    180_000,
  );

  it.concurrent.each(Object.keys(PROBES) as ProbeName[])(
    "P-ECMP sends by C[s mod M, Hash(f)]: %s",
    async (name) => {
      const { planned, program: plan, probes, node } = probeSet(name, 1000);
      const { program } = compiled(plan);
      const packets = probes.map(({ frame }) => ({ port: 0, frame }));
      const { sent } = await playOnBmv2({
        program,
        updates: planned.updates,
        packets,
        ports: node.ports.length + 1,
        expected: packets.length,
      });
      // Frames that go the same way keep their order; each port's are compared with those that belong there.
      const tails = (list: readonly PortFrame[]) =>
        byPort(list.map((one) => ({ port: one.port, frame: one.frame.subarray(-20) })));
      expect(tails(sent)).toEqual(tails(probes));
      expect(new Set(probes.map((probe) => probe.port)).size).toBeGreaterThan(3);
    },
    180_000,
  );
});
