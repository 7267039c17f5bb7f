/**
 * The same control plane, once on the switches in process and once over P4Runtime on loopback gRPC: every switch of a
 * fabric ends with the same state.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import { buildTopology, topologySchema } from "../../../src/fabric/topology/index.js";
import type { Device, Entity, ReadQuery } from "../../../src/toolchain/device/index.js";
import { renderPrograms } from "../../../src/toolchain/generate/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import {
  connect,
  type P4RuntimeServer,
  type RemoteDevice,
  serve,
} from "../../../src/toolchain/p4runtime/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { Switch, type SwitchClock } from "../../../src/toolchain/switch/index.js";
import { templates } from "../../toolchain/generate/load.js";

const clock: SwitchClock = { now: () => 0, at: () => () => {} };

const EVERYTHING: ReadQuery[] = [
  { kind: "tableEntry", counter: true },
  { kind: "tableEntry", isDefault: true },
  { kind: "member" },
  { kind: "group" },
  { kind: "counter" },
  { kind: "directCounter" },
];

const text = readFileSync(
  resolve(import.meta.dirname, "../../../examples/topologies/asymmetric.yaml"),
  "utf8",
);
const topology = buildTopology(topologySchema.parse(parse(text)));

function compileAll(name: string) {
  const scheme = schemeNamed(name)!;
  const plan = scheme.plan(topology, scheme.parameters.parse({}));
  const programs = new Map<string, Program>();
  for (const { file, text: source } of renderPrograms(templates, plan.programs)) {
    const diagnostics = new Diagnostics();
    const result = compile({ file: new SourceFile(file, source) }, diagnostics);
    diagnostics.throwIfErrors();
    programs.set(file.replace(/\.p4$/, ""), result!.program);
  }
  return { plan, programs };
}

function newSwitch(name: string): Switch {
  return new Switch(undefined, { name, clock, seed: 1, transmit: () => {} });
}

const stateOf = (device: Device): Promise<Entity[]> => device.read(EVERYTHING);

describe.each(["pecmp", "prr", "ecmp"] as const)("%s over gRPC", (scheme) => {
  const { plan, programs } = compileAll(scheme);
  let behind: Switch;
  let server: P4RuntimeServer;
  let remote: RemoteDevice;

  beforeAll(async () => {
    behind = newSwitch("behind");
    server = await serve(behind, { address: "127.0.0.1:0" });
    remote = await connect(server.address, {});
  });
  afterAll(async () => {
    await remote.close();
    await server.close();
  });

  it.each(plan.switches.map((own) => [topology.nodes[own.node]!.name, own] as const))(
    "leaves %s as it is in process",
    async (name, { program, updates }) => {
      const direct = newSwitch(name);
      await direct.load(programs.get(program)!);
      await direct.write(updates);
      await remote.load(programs.get(program)!);
      await remote.write(updates);
      const expected = await stateOf(direct);
      expect(expected.length).toBeGreaterThan(updates.length / 2);
      expect(await stateOf(behind)).toEqual(expected);
      expect(await stateOf(remote)).toEqual(expected);
    },
  );
});
