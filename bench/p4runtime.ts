/** P4Runtime over loopback gRPC: inserts per second in batches of 1,000, and reads per second. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, SourceFile } from "../src/base/index.js";
import { connect, serve } from "../src/p4runtime/index.js";
import { type Bmv2Program, type Program, readP4Info, type Update } from "../src/program/index.js";
import { MemoryDevice } from "../test/p4runtime/memory-device.js";

const ENTRIES = 50_000;
const BATCH = 1000;
const golden = join(import.meta.dirname, "../test/golden/cpu");

function loadProgram(): Program {
  const diagnostics = new Diagnostics();
  const text = readFileSync(join(golden, "cpu.p4info.txtpb"), "utf8");
  const p4info = readP4Info(new SourceFile("cpu.p4info.txtpb", text), "text", diagnostics);
  diagnostics.throwIfErrors();
  return { bmv2: JSON.parse(readFileSync(join(golden, "cpu.json"), "utf8")) as Bmv2Program, p4info: p4info! };
}

function insertOf(i: number): Update {
  return {
    type: "insert",
    entity: {
      kind: "tableEntry",
      table: "TheIngress.destinations",
      match: [{ kind: "exact", field: "hdr.eth.dst", value: 0x020000000000n + BigInt(i) }],
      priority: 0,
      action: { kind: "action", action: "TheIngress.forward", params: { port: BigInt(i % 500) } },
    },
  };
}

export async function run(
  report: (line: { name: string; unit: string; value: number }) => void,
): Promise<void> {
  const server = await serve(new MemoryDevice(), { address: "127.0.0.1:0" });
  const device = await connect(server.address, { batchSize: BATCH });
  try {
    await device.load(loadProgram());
    const updates = Array.from({ length: ENTRIES }, (_, i) => insertOf(i));
    const started = performance.now();
    await device.write(updates);
    const written = performance.now();
    const entities = await device.read([{ kind: "tableEntry", table: "TheIngress.destinations" }]);
    const read = performance.now();
    if (entities.length !== ENTRIES) throw new Error(`${entities.length} entries read, ${ENTRIES} written`);
    report({ name: "p4runtime/insert", unit: "updates/s", value: (ENTRIES * 1000) / (written - started) });
    report({ name: "p4runtime/read", unit: "entities/s", value: (ENTRIES * 1000) / (read - written) });
  } finally {
    await device.close();
    await server.close();
  }
}
