/**
 * What `p4loom generate NAME -o DIR` writes is all that a switch needs: the statements of DIR/state, loaded as `p4loom switch --commands`
 * loads them, make a switch that does the same with every packet as the one that `p4loom run` sets up.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { Diagnostics, Random, SourceFile, toHex } from "../../src/base/index.js";
import { generate } from "../../src/cli/generate.js";
import { configureSimulated, ProgramCompiler } from "../../src/fabric/experiment/boot.js";
import { SCHEMES, schemeNamed } from "../../src/fabric/schemes/index.js";
import { type Topology, tierOf } from "../../src/fabric/topology/index.js";
import { runCommands } from "../../src/toolchain/control/index.js";
import type { ReadQuery } from "../../src/toolchain/device/index.js";
import { loadProgram } from "../../src/toolchain/loading/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { frameOf } from "../fabric/schemes/frames.js";
import { loadTopology } from "../fabric/topology/load.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-state-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Virtual time: the switch's timers in order. */
class Timers {
  time = 0;
  #due: { time: number; fn: () => void }[] = [];

  now = () => this.time;
  at = (time: number, fn: () => void) => {
    const own = { time, fn };
    this.#due.push(own);
    return () => {
      this.#due = this.#due.filter((one) => one !== own);
    };
  };

  runTo(end: number): void {
    for (;;) {
      const next = this.#due.filter(({ time }) => time <= end).sort((a, b) => a.time - b.time)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.time = Math.max(this.time, next.time);
      next.fn();
    }
    this.time = end;
  }
}

/** A switch of seed 1, the frames that it sends, and its time. */
function newSwitch(name: string) {
  const sent: string[] = [];
  const timers = new Timers();
  const device = new Switch(undefined, {
    name,
    clock: timers,
    seed: 1,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
  });
  return { device, sent, timers };
}

const EVERYTHING: ReadQuery[] = [
  { kind: "tableEntry" },
  { kind: "tableEntry", isDefault: true },
  { kind: "member" },
  { kind: "group" },
  { kind: "register" },
  { kind: "multicastGroup" },
  { kind: "cloneSession" },
  { kind: "digest" },
  { kind: "valueSet" },
];

/** Frames of flows between drawn hosts, on each port in turn. */
function framesOf(topology: Topology, field: Parameters<typeof frameOf>[0]["field"], count: number) {
  const random = new Random(7);
  const hosts = topology.nodes.filter(({ host }) => host !== undefined);
  return Array.from({ length: count }, () => {
    const family = field === "flow_label" || random.int(4) === 0 ? ("ipv6" as const) : ("ipv4" as const);
    const [source, destination] = [random.pick(hosts), random.pick(hosts)];
    return frameOf({
      family,
      field,
      selector: random.int(64),
      flow: {
        src: source.host![family],
        dst: destination.host![family],
        protocol: 6,
        srcPort: random.int(65_536),
        dstPort: random.int(65_536),
      },
    });
  });
}

async function written(scheme: string, file: string, set: readonly string[]) {
  const out = join(folder, `${scheme} ${set.join(" ")}`);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    expect(await generate(scheme, { set: [...set], out, topology: file }, [])).toBe(0);
    return { out, told: stderr.mock.calls.map(([text]) => String(text)).join("") };
  } finally {
    stderr.mockRestore();
  }
}

/** One switch of each role and stage. */
function sample(topology: Topology, nodes: readonly number[]): number[] {
  const kinds = new Map(
    nodes.map((node) => [`${topology.nodes[node]!.role} ${tierOf(topology.nodes[node]!)}`, node]),
  );
  return [...kinds.values()];
}

/** @param left lines of the statements that are left out: then the frames must differ */
async function compare(
  scheme: string,
  file: string,
  parameters: Readonly<Record<string, unknown>> = {},
  left?: RegExp,
) {
  const topology = loadTopology(file);
  const { plan: planOf, parameters: schema } = schemeNamed(scheme)!;
  const plan = planOf(topology, schema.parse(parameters));
  const set = Object.entries(parameters).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const { out, told } = await written(scheme, file, set);
  const run = { label: scheme, plan } as Parameters<typeof configureSimulated>[2];
  const programs = await new ProgramCompiler().compileAll(run);
  let outputs = 0;
  for (const own of plan.switches.filter(({ node }) =>
    sample(
      topology,
      plan.switches.map((one) => one.node),
    ).includes(node),
  )) {
    const { name, ports } = topology.nodes[own.node]!;
    const ours = newSwitch(name);
    await configureSimulated(ours.device as never, { topology } as never, run, own, programs);
    const theirs = newSwitch(name);
    const diagnostics = new Diagnostics();
    const path = join(out, `${own.program}.p4`);
    const { program } = await loadProgram({ path, include: [], define: [] }, diagnostics, "error");
    await theirs.device.load(program);
    const whole = readFileSync(join(out, "state", `${name}.txt`), "utf8");
    const text = left === undefined ? whole : whole.replace(left, "");
    await runCommands(theirs.device, new SourceFile(`${name}.txt`, text), diagnostics);
    expect(diagnostics.list).toEqual([]);
    expect(await theirs.device.read(EVERYTHING)).toEqual(await ours.device.read(EVERYTHING));
    for (const [i, frame] of framesOf(topology, plan.field, 300).entries())
      for (const { device, timers } of [ours, theirs]) {
        device.receive(ports[i % ports.length]!.number, frame);
        timers.runTo((i + 1) * 20);
      }
    if (left === undefined) expect(theirs.sent).toEqual(ours.sent);
    else if (text !== whole) expect(theirs.sent).not.toEqual(ours.sent);
    outputs += ours.sent.length;
  }
  expect(outputs).toBeGreaterThan(100);
  return { out, told };
}

describe("a switch with the statements of DIR/state forwards as under `p4loom run`", () => {
  it.each(Object.keys(SCHEMES))("%s", async (scheme) => {
    await compare(scheme, "examples/topologies/clos.yaml");
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["hashing", "jupiter", { reuse: [2, 4] }],
    ["hashing", "jupiter", { chip: ["crc16/0x8BB7", "crc16/0xC867"] }],
    ["hashing", "spineless", { design: "coprime", routing: "transit", sizes: [16, 57] }],
    ["hashing", "jupiter", { design: "per_stage", chip: ["crc-32/iscsi", "crc-16/usb"] }],
    ["repac", "clos", { field: "vlan" }],
    ["pecmp", "asymmetric", { field: "flow_label" }],
    ["dahu", "hyperx", { map: "copies", retry: false }],
  ])("%s on %s with %j", async (scheme, topology, parameters) => {
    const { out } = await compare(scheme, `examples/topologies/${topology}.yaml`, parameters);
    expect(out).toContain(scheme);
  });

  it.each<[string, string, Record<string, unknown>, RegExp]>([
    ["hashing", "jupiter", { chip: ["crc16/0x8BB7", "crc16/0xC867"] }, /^set_crc16_parameters .*$/gm],
    ["hula", "clos", {}, /^set_packet_generators .*$/gm],
  ])("%s on %s with %j: and would not without the settings", async (scheme, topology, parameters, left) => {
    await compare(scheme, `examples/topologies/${topology}.yaml`, parameters, left);
  });

  it("has the parameters of CRCs in both files, and names a control plane that is not in them", async () => {
    const { out } = await written("hashing", "examples/topologies/jupiter.yaml", ["reuse=[2,4]"]);
    const text = readFileSync(join(out, "state", "tor0-0.txt"), "utf8");
    const json = JSON.parse(readFileSync(join(out, "state", "tor0-0.json"), "utf8"));
    const all = [..."0123"].map((n) => readFileSync(join(out, "state", `s3b0-${n}.txt`), "utf8")).join("");
    expect(text + all).toMatch(/^set_crc16_parameters \S+ 0x1021 0xffff 0x0 false false$/m);
    expect(json).toMatchObject({ program: "tor.p4" });
    const { told } = await written("dahu", "examples/topologies/clos.yaml", []);
    expect(told).toMatch(/not in .*: the control plane that changes this state while it runs/);
  });

  it("comes with what the plan says of itself: the polarisation of RePaC on five stages", async () => {
    const { told } = await written("repac", "examples/topologies/jupiter.yaml", []);
    expect(told).toMatch(/^note: The stages 2 and 3 have the role leaf, .*\(polarisation\)/m);
    expect(told).toMatch(/^note: RePaC's pathmap has one hop for the stages of a role/m);
    const { told: three } = await written("repac", "examples/topologies/clos.yaml", []);
    expect(three).not.toContain("polarisation");
  });
});
