/** What tests on real interfaces need: whether this machine lets them run, and p4loom itself as a command. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import {
  examine,
  type FindingName,
  type NetworkKind,
  type SwitchEngine,
  type Testbed,
  type TestbedStartOptions,
} from "../../../src/fabric/testbed/index.js";
import { buildTopology, type Topology, topologySchema } from "../../../src/fabric/topology/index.js";
import { loadTemplates, renderProgram } from "../../../src/toolchain/generate/index.js";
import { interfacesAvailable } from "../../../src/toolchain/interfaces/index.js";
import { textFolder } from "../../../src/toolchain/loading/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { COMMAND } from "../../built-command.js";

const root = resolve(import.meta.dirname, "../../..");

/** Path of simple_switch_grpc, on PATH or in P4LOOM_BMV2. */
export const bmv2 = process.env["P4LOOM_BMV2"];

const findings = await examine({
  interfaces: interfacesAvailable(),
  ...(bmv2 === undefined ? {} : { bmv2 }),
});

/** Why a testbed cannot run here; undefined: it can. */
export function whyNot(network: NetworkKind, engine: SwitchEngine, more: readonly FindingName[] = []) {
  const needs: FindingName[] = ["root", "namespaces", "iproute2", "tc", "ethtool", ...more];
  if (network === "mininet") needs.push("mininet");
  needs.push(
    ...(engine === "bmv2"
      ? (["simple_switch_grpc", "simple_switch_CLI"] as const)
      : ["packet_sockets" as const]),
  );
  const lacking = findings.find(({ name, ok }) => needs.includes(name) && !ok);
  return lacking === undefined ? undefined : `${lacking.name}: ${lacking.detail}`;
}

/** Networks and engines that a machine may have, each with the reason why not. Their tests ping. */
export const LABS = (["netns", "mininet"] as const).flatMap((network) =>
  (["switch", "bmv2"] as const).map((engine) => ({
    network,
    engine,
    reason: whyNot(network, engine, ["ping"]),
  })),
);

/** p4loom as a command. */
export const P4LOOM: readonly string[] = [process.execPath, COMMAND];

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed after the test file, which must have a worker of its own, as testbeds have. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-testbed-"));
  folders.push(folder);
  return folder;
}

export async function testbedOptions(
  network: NetworkKind,
  engine: SwitchEngine,
  folder: string,
  more: Partial<TestbedStartOptions> = {},
): Promise<TestbedStartOptions & { lines: string[] }> {
  const lines: string[] = [];
  return {
    network,
    engine,
    folder,
    ...(bmv2 === undefined ? {} : { bmv2 }),
    p4loom: P4LOOM,
    allowMissing: new Set(),
    log: (line) => void lines.push(line),
    stop: new AbortController().signal,
    ...more,
    lines,
  };
}

/** Two ToRs, two leaves, two hosts at each ToR. */
export const leafSpine: Topology = buildTopology(
  topologySchema.parse({ kind: "leaf_spine", tors: 2, leaves: 2, homing: "single", hosts_per_rack: 2 }),
);

/** Loads plain ECMP into the switches named, all by default. */
export async function loadEcmp(
  testbed: Testbed,
  topology: Topology,
  only?: readonly string[],
): Promise<void> {
  const scheme = schemeNamed("ecmp")!;
  const plan = scheme.plan(topology, scheme.parameters.parse({}));
  const templates = loadTemplates(textFolder(join(root, "templates")));
  const programs = new Map<string, Program>();
  for (const one of plan.programs) {
    const diagnostics = new Diagnostics();
    const file = new SourceFile(`${one.name}.p4`, renderProgram(templates, one));
    const result = compile({ file }, diagnostics);
    if (result === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
    programs.set(one.name, result.program);
  }
  for (const { node, program, updates } of plan.switches) {
    const { name } = topology.nodes[node]!;
    if (only !== undefined && !only.includes(name)) continue;
    const { device } = testbed.switches.get(name)!;
    await device.load(programs.get(program)!);
    await device.write(updates);
  }
}

export function dotted(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join(".");
}

/** Namespaces of a run that exist now. */
export function namespacesOf(id: string): string[] {
  const names = existsSync("/run/netns") ? readdirSync("/run/netns") : [];
  return names.filter((name) => name === `p4l-${id}` || name.startsWith(`p4l-${id}-`));
}

/** Whatever is left of a run: namespaces, its folder, processes that name it. */
export function leftoversOf(id: string): string[] {
  const folder = `/run/p4loom/${id}`;
  const processes = spawnSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).stdout;
  return [
    ...namespacesOf(id),
    ...(existsSync(folder) ? [folder] : []),
    ...processes.split("\n").filter((line) => line.includes(`p4l-${id}`) || line.includes(`/p4loom/${id}/`)),
  ];
}
