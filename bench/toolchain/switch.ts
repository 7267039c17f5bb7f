/**
 * Packets a second of the embedded switch: in memory, with the l3 program of the recordings and small or full tables;
 * the cost of 100,000 entries compared with 100; and as a process from pcap file to pcap file, compared with simple_switch if
 * it is installed (on PATH, or in the folder of the program that P4LOOM_BMV2 names).
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Diagnostics, Random, SourceFile } from "../../src/base/index.js";
import { runCommands } from "../../src/toolchain/control/index.js";
import type { Match, Update } from "../../src/toolchain/device/index.js";
import { type Bmv2Program, createP4Info } from "../../src/toolchain/program/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import type { Measurement } from "../benchmark.js";
import { bmv2, OURS } from "./switch/engines.js";
import { entryCosts } from "./switch/entries.js";
import { filesRate } from "./switch/files.js";
import { FOLDER, ipv4Frame } from "./switch/packets.js";
import { rate } from "./switch/rate.js";

type Report = (measurement: Measurement) => void;

function text(file: string): string {
  return readFileSync(resolve(FOLDER, file), "utf8");
}

/** The program with tables for many entries. */
function roomyProgram(): Bmv2Program {
  const program = JSON.parse(text("l3.json")) as Bmv2Program;
  for (const table of program.pipelines.flatMap(({ tables }) => tables))
    if (table.key.length > 0) table.max_size = 200_000;
  return program;
}

async function start(program: Bmv2Program, config: string): Promise<Switch> {
  const device = new Switch(
    { bmv2: program, p4info: createP4Info() },
    { clock: { now: () => 0, at: () => () => {} }, transmit: () => {} },
  );
  const diagnostics = new Diagnostics();
  await runCommands(device, new SourceFile("config.txt", config), diagnostics);
  diagnostics.throwIfErrors();
  return device;
}

const lpm = (table: string, field: string, value: number, prefixLength: number, hop: bigint): Update => ({
  type: "insert",
  entity: {
    kind: "tableEntry",
    table,
    match: [{ kind: "lpm", field, value: BigInt(value >>> 0), prefixLength }],
    priority: 0,
    action: { kind: "action", action: "TheIngress.route", params: { next_hop: hop } },
  },
});

export async function run(report: Report): Promise<void> {
  const config = text("config.txt");
  const routes = "TheIngress.routes4";
  const random = new Random(1);

  const small = await start(roomyProgram(), config);
  const few = Array.from({ length: 64 }, (_, i) => ipv4Frame(0x0a010280 + (i % 4)));
  report({ name: "switch/l3", unit: "packets/s", value: rate(small, few) });

  const full = await start(roomyProgram(), config);
  const addresses = Array.from({ length: 10_000 }, () => (0x14000000 | random.int(0x01000000)) & 0xffffff00);
  const distinct = [...new Set(addresses)];
  const began = performance.now();
  full.apply(distinct.map((value) => lpm(routes, "hdr.ipv4.dst", value, 24, 4n)));
  const acl = Array.from({ length: 500 }, (_, i): Update => {
    const match: Match[] = [
      {
        kind: "ternary",
        field: "hdr.ipv4.src",
        value: BigInt(0x1e000000 + i * 256),
        mask: i % 2 ? 0xffffff00n : 0xffffffffn,
      },
      { kind: "ternary", field: "meta.protocol", value: BigInt(i % 3 ? 6 : 17), mask: 0xffn },
    ];
    const action = { kind: "action" as const, action: "TheIngress.permit", params: {} };
    return {
      type: "insert",
      entity: { kind: "tableEntry", table: "TheIngress.acl", match, priority: 1000 + i, action },
    };
  });
  full.apply(acl);
  report({
    name: "switch/apply",
    unit: "updates/s",
    value: (1000 * (distinct.length + acl.length)) / (performance.now() - began),
  });
  const many = Array.from({ length: 4096 }, () => ipv4Frame(random.pick(distinct) + random.int(256)));
  report({
    name: "switch/l3 with 10,000 routes and 500 ternary entries",
    unit: "packets/s",
    value: rate(full, many),
  });

  const wide = await start(roomyProgram(), config);
  const hops = Array.from({ length: 60_000 }, (_, i) => i + 1000);
  wide.apply(
    hops.map((hop): Update => {
      const mac = BigInt(hop);
      const params = { port: 4n, src: mac, dst: mac };
      return {
        type: "insert",
        entity: {
          kind: "tableEntry",
          table: "TheIngress.next_hops",
          match: [{ kind: "exact", field: "meta.next_hop", value: BigInt(hop) }],
          priority: 0,
          action: { kind: "action", action: "TheIngress.to_next_hop", params },
        },
      };
    }),
  );
  const prefixes = hops
    .slice(0, 50_000)
    .map((hop, i) => lpm(routes, "hdr.ipv4.dst", 0x28000000 + i * 16, 28, BigInt(hop)));
  wide.apply(prefixes);
  const spread = Array.from({ length: 4096 }, () => ipv4Frame(0x28000000 + 16 * random.int(50_000)));
  report({
    name: "switch/l3 with 60,000 exact entries and 50,000 routes",
    unit: "packets/s",
    value: rate(wide, spread),
  });

  for (const { kind, few, many } of entryCosts()) {
    report({ name: `switch/${kind}, 100 entries`, unit: "packets/s", value: few });
    report({ name: `switch/${kind}, 100,000 entries`, unit: "packets/s", value: many });
    report({ name: `switch/${kind}, cost of 100,000 entries over 100`, unit: "times", value: few / many });
  }

  const rival = bmv2();
  if (rival === undefined) console.error("switch: simple_switch is neither on PATH nor beside P4LOOM_BMV2");
  const theirs = rival === undefined ? {} : { rival: { name: rival.name, value: await filesRate(rival) } };
  report({ name: "switch/l3 from file to file", unit: "packets/s", value: await filesRate(OURS), ...theirs });
}
