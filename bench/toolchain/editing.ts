/**
 * How long an editor waits after a key, on a program of 1,500 lines: the diagnostics that come at once (parser and checker),
 * then hover, completion and colours on the new text; and what comes when no key was pressed for 0.4 s, of a program of 60 tables: the
 * compilation, and the placement on a Tofino above each table. CPU time of this process, the median of the keys. The programs are made
 * here, or given: `P4LOOM_EDITING=FILE npm run bench -- editing`.
 */
import { readFileSync } from "node:fs";
import { loadTarget } from "../../src/cli/targets.js";
import {
  completion,
  hover,
  lenses,
  openDocument,
  type P4Document,
  semanticTokens,
} from "../../src/toolchain/editing/index.js";
import type { Benchmark } from "../benchmark.js";

const LINES = 1500;
const KEYS = 40;
const WARM_UP = 10;

/** A program with as many controls like this one as give the lines. */
function control(index: number): string {
  return `control Part${index}(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    bit<16> length_${index} = 0;
    // Counts the messages of the server.
    action send_${index}(bit<48> to, bit<9> port) {
        sm.egress_spec = port;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = to;
        length_${index} = length_${index} + (bit<16>) sm.packet_length;
    }
    action drop_${index}() { mark_to_drop(sm); }
    table route_${index} {
        key = {
            hdr.ethernet.dst: ternary;
            meta.value[15:0]: exact;
        }
        actions = {
            send_${index};
            drop_${index};
        }
        size = 1024;
        default_action = drop_${index}();
    }
    apply {
        if (hdr.ethernet.isValid() && meta.value != ${index}) {
            route_${index}.apply();
            meta.value = (meta.value << 1) ^ (bit<32>) length_${index};
        }
    }
}
`;
}

function program(): string {
  const head = `#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_t ethernet; }
struct meta_t { bit<32> value; }
parser P(packet_in p, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { p.extract(hdr.ethernet); transition accept; }
}
control Check(inout headers_t hdr, inout meta_t meta) { apply { } }
control Out(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
`;
  const count = Math.ceil((LINES - 20) / control(0).split("\n").length);
  const parts = Array.from({ length: count }, (_, index) => index);
  const calls = parts.map((index) => `        part_${index}.apply(hdr, meta, sm);`).join("\n");
  const instances = parts.map((index) => `    Part${index}() part_${index};`).join("\n");
  return `${head}${parts.map(control).join("")}control In(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
${instances}
    apply {
${calls}
    }
}
control Eg(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
V1Switch(P(), Check(), In(), Eg(), Check(), Out()) main;
`;
}

const LEVELS = 10;
const TABLES_OF_LEVEL = 6;

/** A design of 60 tables in ten levels: each table looks at what one of the level before has written. */
function design(): string {
  const cells = Array.from({ length: LEVELS * TABLES_OF_LEVEL }, (_, i) => ({
    own: `${Math.floor(i / TABLES_OF_LEVEL)}_${i % TABLES_OF_LEVEL}`,
    before:
      i < TABLES_OF_LEVEL
        ? "hdr.ethernet.dst: exact;"
        : `meta.f${Math.floor(i / TABLES_OF_LEVEL) - 1}_${i % TABLES_OF_LEVEL}: exact;`,
  }));
  const fields = cells.map(({ own }) => `    bit<8> f${own};`).join("\n");
  const tables = cells.map(
    ({ own, before }) => `    action set_${own}(bit<8> value) { meta.f${own} = value; }
    table t${own} {
        key = { ${before} }
        actions = { set_${own}; NoAction; }
        size = 1024;
        default_action = NoAction();
    }`,
  );
  return `#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_t ethernet; }
struct meta_t {
${fields}
}
parser P(packet_in p, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { p.extract(hdr.ethernet); transition accept; }
}
control Check(inout headers_t hdr, inout meta_t meta) { apply { } }
control In(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
${tables.join("\n")}
    apply {
${cells.map(({ own }) => `        t${own}.apply();`).join("\n")}
        sm.egress_spec = (bit<9>) meta.f9_0;
    }
}
control Eg(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Out(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
V1Switch(P(), Check(), In(), Eg(), Check(), Out()) main;
`;
}

/** Compilation and placement of the design of 60 tables after each of some keys. */
function stagesAfterKeys(): number[] {
  const text = design();
  const target = loadTarget("tofino");
  return Array.from({ length: WARM_UP + KEYS }, (_, key) =>
    milliseconds(() => {
      const found = lenses(openDocument("design.p4", `${text}// ${"x".repeat(key)}`), target);
      if (found.length < LEVELS * TABLES_OF_LEVEL) throw new Error("the design is not placed");
    }),
  ).slice(WARM_UP);
}

function milliseconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

export const run: Benchmark = async (report) => {
  const file = process.env["P4LOOM_EDITING"];
  const text = file === undefined ? program() : readFileSync(file, "utf8");
  const lines = text.split("\n").length;
  const place = text.indexOf(".apply(") + 1;
  const times = {
    diagnostics: [] as number[],
    hover: [] as number[],
    completion: [] as number[],
    colours: [] as number[],
  };
  for (let key = 0; key < WARM_UP + KEYS; key++) {
    // Letters of a comment in the middle: each key makes another text.
    const typed = `${text.slice(0, place)}/*${"x".repeat(key)}*/${text.slice(place)}`;
    let document: P4Document | undefined;
    const took = {
      diagnostics: milliseconds(() => {
        document = openDocument("large.p4", typed);
        void document.quickDiagnostics;
      }),
      hover: milliseconds(() => void hover(document!, place - 3)),
      completion: milliseconds(() => void completion(document!, place)),
      colours: milliseconds(() => void semanticTokens(document!)),
    };
    if (key < WARM_UP) continue;
    for (const name of Object.keys(times) as (keyof typeof times)[]) times[name].push(took[name]);
  }
  const stages = stagesAfterKeys();
  report({ name: "editing lines of the program", unit: "lines", value: lines });
  for (const [name, values] of Object.entries({ ...times, "stages of 60 tables": stages })) {
    report({ name: `editing ${name} after a key`, unit: "ms", value: median(values) });
    report({ name: `editing ${name} after a key, slowest`, unit: "ms", value: Math.max(...values) });
  }
};
