/** The generated programs, compiled by p4loom, in the embedded switch: the recorded probes and the packet cases. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, toHex } from "../../../src/base/index.js";
import { SCHEMES } from "../../../src/fabric/schemes/index.js";
import { nodeNamed } from "../../../src/fabric/topology/index.js";
import { type ProgramPlan, renderProgram } from "../../../src/toolchain/generate/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { templates } from "../../toolchain/generate/load.js";
import { casePlan, packetCases } from "./packet-cases.js";
import { PROBES, type ProbeName, probeSet } from "./probe-set.js";

const path = resolve(import.meta.dirname, "../../golden/pecmp/bmv2-ports.json");
const recorded: Record<string, string> = JSON.parse(readFileSync(path, "utf8"));

function compiled(plan: ProgramPlan) {
  const diagnostics = new Diagnostics();
  const text = renderProgram(templates, plan);
  const result = compile({ file: new SourceFile(`${plan.name}.p4`, text) }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

/** A switch that runs the plan, and the packets that it sends. */
async function start(plan: ProgramPlan, updates: Parameters<Switch["write"]>[0]) {
  const sent: { port: number; frame: Uint8Array }[] = [];
  const device = new Switch(undefined, {
    name: plan.name,
    clock: { now: () => 0, at: () => () => {} },
    seed: 1,
    transmit: (port, frame) => sent.push({ port, frame: Uint8Array.from(frame) }),
  });
  await device.load(compiled(plan));
  await device.write(updates);
  return {
    device,
    play(frame: Uint8Array) {
      sent.length = 0;
      device.receive(0, frame);
      return [...sent];
    },
  };
}

describe("the embedded switch sends by C[s mod M, Hash(f)], as BMv2 does", () => {
  it.each(Object.keys(PROBES) as ProbeName[])("%s", async (name) => {
    const { planned, program, probes } = probeSet(name, name === "tor-dscp" ? 1000 : 200);
    const { play } = await start(program, planned.updates);
    const ports = probes.map(({ frame }) => play(frame).map(({ port }) => port.toString(36)));
    expect(ports.map((own) => own.join("+")).join("")).toBe(recorded[name]);
  });
});

describe.each(Object.keys(SCHEMES))("%s programs", (scheme) => {
  const { topology, plan } = casePlan(scheme);
  const switches = new Map<string, ReturnType<typeof start>>();
  const running = (name: string) => {
    let own = switches.get(name);
    if (own === undefined) {
      const planned = plan.switches.find(({ node }) => node === nodeNamed(topology, name)!.index)!;
      own = start(plan.programs.find((program) => program.name === planned.program)!, planned.updates);
      switches.set(name, own);
    }
    return own;
  };

  it.each(packetCases())("$name", async ({ node, frame, expected }) => {
    const { device, play } = await running(node);
    const drops = async () => {
      const entries = await device.read([{ kind: "counter", counter: "FabricIngress.drops" }]);
      return entries.map((entry) => (entry.kind === "counter" ? Number(entry.data.packets) : -1));
    };
    const before = await drops();
    const sent = play(frame);
    const counted = (await drops()).map((count, i) => count - before[i]!);
    if ("drop" in expected) {
      expect(sent).toEqual([]);
      expect(counted).toEqual(counted.map((_, i) => (i === expected.drop ? 1 : 0)));
      return;
    }
    expect(sent).toHaveLength(1);
    const { port, frame: out } = sent[0]!;
    expect(expected.ports).toContain(port);
    expect(toHex(out)).toBe(toHex(expected.frame(port)));
    expect(counted.every((count) => count === 0)).toBe(true);
  });
});
