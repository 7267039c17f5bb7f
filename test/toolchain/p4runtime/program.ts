/** The program of test/golden/cpu, and entries of its largest table. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import type { Update } from "../../../src/toolchain/device/index.js";
import { type Bmv2Program, type Program, readP4Info } from "../../../src/toolchain/program/index.js";

const TABLE = "TheIngress.destinations";
const golden = join(import.meta.dirname, "../../golden/cpu");

export function cpuProgram(): Program {
  const diagnostics = new Diagnostics();
  const text = readFileSync(join(golden, "cpu.p4info.txtpb"), "utf8");
  const p4info = readP4Info(new SourceFile("cpu.p4info.txtpb", text), "text", diagnostics);
  diagnostics.throwIfErrors();
  const bmv2 = JSON.parse(readFileSync(join(golden, "cpu.json"), "utf8")) as Bmv2Program;
  return { bmv2, p4info: p4info! };
}

export function destination(i: number, port = 1): Update {
  return {
    type: "insert",
    entity: {
      kind: "tableEntry",
      table: TABLE,
      match: [{ kind: "exact", field: "hdr.eth.dst", value: 0x020000000000n + BigInt(i) }],
      priority: 0,
      action: { kind: "action", action: "TheIngress.forward", params: { port: BigInt(port) } },
    },
  };
}

/** The same with room for 1,024 entries in that table. */
export function roomyProgram(): Program {
  const program = cpuProgram();
  for (const { tables } of program.bmv2.pipelines) {
    for (const table of tables) if (table.name === TABLE) table.max_size = 1024;
  }
  for (const table of program.p4info.tables) if (table.preamble?.name === TABLE) table.size = 1024n;
  return program;
}
