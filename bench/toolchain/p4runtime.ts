/**
 * P4Runtime to the embedded switch: inserts in batches of 1,000 in process and over loopback gRPC, and reads; then the
 * longest delay of the event loop during one large request; then one update a Write from a Python controller, with BMv2
 * beside it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import type { Update } from "../../src/toolchain/device/index.js";
import { connect, serve } from "../../src/toolchain/p4runtime/index.js";
import { type Bmv2Program, type Program, readP4Info } from "../../src/toolchain/program/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import type { Benchmark } from "../benchmark.js";
import { FLOOD, measureDelays } from "./p4runtime-delay.js";
import { measureSingleWrites } from "./p4runtime-single.js";

const ENTRIES = 50_000;
const BATCH = 1000;
export const TABLE = "TheIngress.destinations";
const golden = join(import.meta.dirname, "../../test/golden");

/** A recorded program, with a register array of another size if one is named. */
export function goldenProgram(name: string, array?: { register: string; elements: number }): Program {
  const diagnostics = new Diagnostics();
  const text = readFileSync(join(golden, name, `${name}.p4info.txtpb`), "utf8");
  const p4info = readP4Info(new SourceFile(`${name}.p4info.txtpb`, text), "text", diagnostics)!;
  diagnostics.throwIfErrors();
  const bmv2 = JSON.parse(readFileSync(join(golden, name, `${name}.json`), "utf8")) as Bmv2Program;
  for (const register of bmv2.register_arrays)
    if (register.name === array?.register) register.size = array.elements;
  for (const register of p4info.registers)
    if (register.preamble!.name === array?.register) register.size = array.elements;
  return { bmv2, p4info };
}

function loadProgram(entries = ENTRIES): Program {
  const { bmv2, p4info } = goldenProgram("cpu");
  for (const pipeline of bmv2.pipelines) {
    for (const table of pipeline.tables) if (table.name === TABLE) table.max_size = entries;
  }
  for (const table of p4info.tables) if (table.preamble!.name === TABLE) table.size = BigInt(entries);
  return { bmv2, p4info };
}

export function insertOf(i: number): Update {
  return {
    type: "insert",
    entity: {
      kind: "tableEntry",
      table: TABLE,
      match: [{ kind: "exact", field: "hdr.eth.dst", value: 0x020000000000n + BigInt(i) }],
      priority: 0,
      action: { kind: "action", action: "TheIngress.forward", params: { port: BigInt(i % 500) } },
    },
  };
}

export function makeSwitch(entries = ENTRIES): Switch {
  return new Switch(loadProgram(entries), {
    clock: { now: () => 0, at: () => () => {} },
    transmit: () => {},
  });
}

export const run: Benchmark = async (report) => {
  const updates = Array.from({ length: ENTRIES }, (_, i) => insertOf(i));
  const rate = (from: number, to: number): number => (ENTRIES * 1000) / (to - from);

  const inProcess = makeSwitch();
  const begun = performance.now();
  for (let i = 0; i < ENTRIES; i += BATCH) await inProcess.write(updates.slice(i, i + BATCH));
  report({ name: "p4runtime/insert-in-process", unit: "updates/s", value: rate(begun, performance.now()) });

  const server = await serve(makeSwitch(), { address: "127.0.0.1:0" });
  const device = await connect(server.address, { batchSize: BATCH });
  try {
    const started = performance.now();
    await device.write(updates);
    const written = performance.now();
    const entities = await device.read([{ kind: "tableEntry", table: TABLE }]);
    const read = performance.now();
    if (entities.length !== ENTRIES) throw new Error(`${entities.length} entries read, ${ENTRIES} written`);
    report({ name: "p4runtime/insert", unit: "updates/s", value: rate(started, written) });
    report({ name: "p4runtime/read", unit: "entities/s", value: rate(written, read) });
  } finally {
    await device.close();
    await server.close();
  }
  await measureDelays(makeSwitch(FLOOD), report);
  await measureSingleWrites(loadProgram(), report);
};
