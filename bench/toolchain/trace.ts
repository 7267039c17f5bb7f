/**
 * The cost of tracing: packets a second of the l3 program of the recordings with tracing off, on, and off again; and of following all
 * outcomes of a packet that a selector sends on one of 16 paths.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Diagnostics, fromHex, SourceFile } from "../../src/base/index.js";
import { runCommands } from "../../src/toolchain/control/index.js";
import { loadProgram } from "../../src/toolchain/loading/index.js";
import { type Bmv2Program, createP4Info } from "../../src/toolchain/program/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import type { Benchmark } from "../benchmark.js";

const folder = resolve(import.meta.dirname, "../../test/golden/l3");

/** IPv4 over Ethernet, 39 bytes; one route and one next hop send it to port 6. */
const FRAME = fromHex("02000000019b040000000248080045000019725300004006e9f9090909080a01028103e8270f30")!;

/** Median over rounds of a tenth of a second of this process's own time. */
function rate(one: () => void, batch = 500): number {
  const rates: number[] = [];
  for (let round = 0; round < 12; round++) {
    const begin = process.cpuUsage();
    let sent = 0;
    let passed = 0;
    while (passed < 100_000) {
      for (let i = 0; i < batch; i++) one();
      sent += batch;
      const { user, system } = process.cpuUsage(begin);
      passed = user + system;
    }
    if (round > 2) rates.push((1e6 * sent) / passed);
  }
  return rates.sort((a, b) => a - b)[rates.length >> 1]!;
}

export const run: Benchmark = async (report) => {
  const text = (file: string) => readFileSync(resolve(folder, file), "utf8");
  const device = new Switch(
    { bmv2: JSON.parse(text("l3.json")) as Bmv2Program, p4info: createP4Info() },
    { clock: { now: () => 0, at: () => () => {} }, transmit: () => {} },
  );
  const diagnostics = new Diagnostics();
  await runCommands(device, new SourceFile("config.txt", text("config.txt")), diagnostics);
  diagnostics.throwIfErrors();
  const receive = () => device.receive(0, FRAME);
  report({ name: "trace/off", unit: "packets/s", value: rate(receive) });
  let bytes = 0;
  let packets = 0;
  device.trace = () => {};
  report({ name: "trace/on", unit: "packets/s", value: rate(receive) });
  device.trace = (packet) => {
    bytes += JSON.stringify(packet).length;
    packets++;
  };
  report({ name: "trace/on, as JSON", unit: "packets/s", value: rate(receive) });
  report({ name: "trace/document", unit: "bytes", value: bytes / packets });
  device.trace = undefined;
  report({ name: "trace/off again", unit: "packets/s", value: rate(receive) });
  report({ name: "trace/all outcomes, 16 paths", unit: "packets/s", value: await rateOfAll() });
};

/** Packets a second whose outcomes are all followed. */
async function rateOfAll(): Promise<number> {
  const path = resolve(import.meta.dirname, "../../examples/trace/two-paths.p4");
  const diagnostics = new Diagnostics();
  const { program } = await loadProgram({ path, include: [], define: [] }, diagnostics, "error");
  const device = new Switch(program, { clock: { now: () => 0, at: () => () => {} }, transmit: () => {} });
  const members = Array.from({ length: PATHS }, (_, i) => i);
  const commands = [
    ...members.map((i) => `act_prof_create_member TheIngress.paths TheIngress.send ${i}`),
    "act_prof_create_group TheIngress.paths",
    ...members.map((i) => `act_prof_add_member_to_group TheIngress.paths ${i} 0`),
    "table_indirect_add_with_group TheIngress.routes 7 => 0",
  ];
  await runCommands(device, new SourceFile("commands", `${commands.join("\n")}\n`), diagnostics);
  diagnostics.throwIfErrors();
  const frame = Uint8Array.from([7, 5, 0]);
  const { outcomes } = device.outcomes(1, frame, { runs: PATHS });
  if (outcomes !== PATHS) throw new Error(`${outcomes} outcomes, not ${PATHS}`);
  return rate(() => void device.outcomes(1, frame, { runs: PATHS }), 10);
}

const PATHS = 16;
