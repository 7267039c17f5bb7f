/**
 * `npm run bench -- tables`: the time of an insert, a modify and a delete of a table entry, in tables of
 * 5,000 and of 40,000 entries. The rival of the larger table is the smaller one: a ratio near 1 means linear time.
 */
import { Diagnostics, Random, SourceFile } from "../../src/base/index.js";
import type { Match, Update } from "../../src/toolchain/device/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import type { Benchmark } from "../benchmark.js";

const FEW = 5000;
const MANY = 40_000;
const MASKS = 4000;

interface Kind {
  name: string;
  table: string;
  match(i: number): Match;
  priority(i: number): number;
  idleTimeoutNs?: bigint;
}

const ternary = (value: number, mask: number): Match => ({
  kind: "ternary",
  field: "hdr.eth.src",
  value: BigInt(value),
  mask: BigInt(mask),
});

const KINDS: readonly Kind[] = [
  {
    name: "exact",
    table: "TheIngress.hosts",
    match: (i) => ({ kind: "exact", field: "hdr.eth.dst", value: BigInt(i) }),
    priority: () => 0,
  },
  {
    name: "exact with an idle timeout",
    table: "TheIngress.hosts",
    match: (i) => ({ kind: "exact", field: "hdr.eth.dst", value: BigInt(i) }),
    priority: () => 0,
    idleTimeoutNs: 1_000_000_000n,
  },
  {
    name: "ternary, one mask",
    table: "TheIngress.filter",
    match: (i) => ternary(i, 2 ** 48 - 1),
    priority: (i) => 1 + i,
  },
  {
    name: "ternary, one mask, any order of priorities",
    table: "TheIngress.filter",
    match: (i) => ternary(i, 2 ** 48 - 1),
    priority: (i) => 1 + ((i * 48_271) % 99_991),
  },
  {
    name: `ternary, ${MASKS} masks`,
    table: "TheIngress.filter",
    match: (i) => ternary((i + 1) * 2 ** 17, 0x1fff_fffe_0000 + ((i * 7) % MASKS)),
    priority: (i) => 1 + ((i * 48_271) % 99_991),
  },
  {
    name: "ternary, a mask an entry",
    table: "TheIngress.filter",
    match: (i) => ternary(0, i + 1),
    priority: (i) => 1 + ((i * 48_271) % 99_991),
  },
  {
    name: "ternary, one masked key",
    table: "TheIngress.filter",
    match: () => ternary(1, 1),
    priority: (i) => 1 + ((i * 48_271) % 99_991),
  },
  {
    name: "ranges that share no bit",
    table: "TheIngress.types",
    match: (i) => ({
      kind: "range",
      field: "hdr.eth.type",
      low: BigInt(i % 0x7000),
      high: BigInt(0x8000 + (i % 0x7fff)),
    }),
    priority: (i) => 1 + ((i * 48_271) % 99_991),
  },
];

export const run: Benchmark = async (report) => {
  const diagnostics = new Diagnostics();
  const compiled = compile({ file: new SourceFile("tables.p4", PROGRAM) }, diagnostics);
  diagnostics.throwIfErrors();
  for (const kind of KINDS) {
    const make = (): Switch => {
      const clock = { now: () => 0, at: () => () => {} };
      return new Switch(compiled!.program, { clock, transmit: () => {} });
    };
    // The code is compiled before anything is measured.
    costs(make(), kind, FEW / 4);
    const few = costs(make(), kind, FEW);
    const many = costs(make(), kind, MANY);
    for (const step of ["insert", "modify", "delete", "roll back deletes"] as const) {
      report({
        name: `${step}, ${kind.name}: us an entry of ${MANY}`,
        unit: "us",
        value: many[step],
        rival: { name: `of ${FEW}`, value: few[step] },
      });
    }
  }
};

/** Microseconds for each entry: all entries are inserted in order, then changed and removed in random order. */
function costs(device: Switch, kind: Kind, count: number) {
  const update = (type: Update["type"], i: number): Update => ({
    type,
    entity: {
      kind: "tableEntry",
      table: kind.table,
      match: [kind.match(i)],
      priority: kind.priority(i),
      action: { kind: "action", action: "TheIngress.send", params: { port: BigInt(i % 8) } },
      ...(kind.idleTimeoutNs === undefined ? {} : { idleTimeoutNs: kind.idleTimeoutNs }),
    },
  });
  const order = Array.from({ length: count }, (_, i) => i);
  const random = new Random(1);
  for (let i = count - 1; i > 0; i--) {
    const j = random.int(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const time = (updates: Update[], rollsBack = false): number => {
    const start = performance.now();
    try {
      device.apply(updates, rollsBack ? "rollbackOnError" : "continueOnError");
    } catch (error) {
      if (!rollsBack) throw error;
    }
    return ((performance.now() - start) * 1000) / count;
  };
  const inserts = Array.from({ length: count }, (_, i) => update("insert", i));
  const deletes = order.map((i) => update("delete", i));
  return {
    insert: time(inserts),
    modify: time(order.map((i) => update("modify", i))),
    "roll back deletes": time([...deletes, update("delete", count)], true),
    delete: time(deletes),
  };
}

const PROGRAM = `
#include <core.p4>
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers { eth_t eth; }
struct metadata { }
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(hdr.eth); transition accept; }
}
control TheChecks(inout headers hdr, inout metadata m) { apply { } }
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t s) {
  action send(bit<9> port) { s.egress_spec = port; }
  table hosts { key = { hdr.eth.dst: exact; } actions = { send; } size = 100000; support_timeout = true; }
  table filter { key = { hdr.eth.src: ternary; } actions = { send; } size = 100000; }
  table types { key = { hdr.eth.type: range; } actions = { send; } size = 100000; }
  apply { hosts.apply(); filter.apply(); types.apply(); }
}
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { } }
control TheDeparser(packet_out p, in headers hdr) { apply { p.emit(hdr.eth); } }
V1Switch(TheParser(), TheChecks(), TheIngress(), TheEgress(), TheChecks(), TheDeparser()) main;
`;
