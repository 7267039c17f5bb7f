/**
 * The compiler's speed over program size. The programs are synthetic, in the style of a data-centre fabric: headers,
 * a parser, and many tables with their actions; only their size varies.
 */
import { execFileSync, fork, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { parse } from "../../src/toolchain/p4/syntax/index.js";
import type { Benchmark } from "../benchmark.js";

/** A v1model program with that many tables; 24 lines and about 830 bytes each. */
function fabricProgram(tables: number): string {
  const lines = [
    "#include <core.p4>",
    "#include <v1model.p4>",
    "#define MASK(x, n) ((x) & ((1 << (n)) - 1))",
    "typedef bit<48> mac_t;",
    "header ethernet_t { mac_t dst; mac_t src; bit<16> etherType; }",
    "header ipv4_t { bit<8> ttl; bit<8> protocol; bit<16> checksum; bit<32> src; bit<32> dst; }",
    "struct headers_t { ethernet_t ethernet; ipv4_t ipv4; }",
    "struct metadata_t { bit<32> hash; bit<16> nexthop; bit<1> hit; }",
    "parser FabricParser(packet_in pkt, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {",
    "  state start {",
    "    pkt.extract(hdr.ethernet);",
    "    transition select(hdr.ethernet.etherType) { 0x800: ipv4; default: accept; }",
    "  }",
    "  state ipv4 { pkt.extract(hdr.ipv4); transition accept; }",
    "}",
    "control Verify(inout headers_t hdr, inout metadata_t meta) { apply { } }",
    "control FabricIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {",
  ];
  for (let i = 0; i < tables; i++) {
    lines.push(
      `  // Stage ${i}: forwards, counts and marks.`,
      `  direct_counter(CounterType.packets_and_bytes) counter_${i};`,
      `  action forward_${i}(bit<9> port, mac_t dst) {`,
      "    std.egress_spec = port;",
      "    hdr.ethernet.dst = dst;",
      `    meta.hash = (meta.hash << 3) ^ (bit<32>)hdr.ipv4.protocol + 32w0x${(i * 7919 + 17).toString(16)};`,
      "    hdr.ipv4.ttl = hdr.ipv4.ttl |-| 1;",
      `    counter_${i}.count();`,
      "  }",
      `  action drop_${i}() { mark_to_drop(std); meta.hit = 0; }`,
      `  @name("fabric.stage${i}")`,
      `  table stage_${i} {`,
      "    key = {",
      "      hdr.ipv4.dst: lpm;",
      "      std.ingress_port: exact;",
      `      MASK(meta.nexthop, ${(i % 15) + 1}): ternary @name("next");`,
      "    }",
      `    actions = { forward_${i}; drop_${i}; NoAction; }`,
      `    counters = counter_${i};`,
      "    const default_action = NoAction();",
      "    size = 4096;",
      "  }",
    );
  }
  lines.push("  apply {");
  for (let i = 0; i < tables; i++)
    lines.push(
      `    if (hdr.ipv4.isValid() && meta.nexthop != ${i}) {`,
      `      if (stage_${i}.apply().hit) meta.hit = 1;`,
      "    }",
    );
  lines.push(
    "  }",
    "}",
    "control FabricEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) { apply { } }",
    "control Compute(inout headers_t hdr, inout metadata_t meta) { apply { } }",
    "control FabricDeparser(packet_out pkt, in headers_t hdr) { apply { pkt.emit(hdr); } }",
    "V1Switch(FabricParser(), Verify(), FabricIngress(), FabricEgress(), Compute(), FabricDeparser()) main;",
    "",
  );
  return lines.join("\n");
}

/** Median milliseconds of `runs` calls, after the same number of calls to warm up. */
function medianTime(runs: number, call: () => void): number {
  for (let i = 0; i < runs; i++) call();
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    call();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[runs >> 1]!;
}

/** Runs the measured phases on a text; an error in the program is a fault of the benchmark. */
function compileText(text: string, phases: "parse" | "all"): void {
  const diagnostics = new Diagnostics();
  const file = new SourceFile("fabric.p4", text);
  if (phases === "parse") parse({ file }, diagnostics);
  else compile({ file }, diagnostics);
  diagnostics.throwIfErrors();
}

/** Seconds for a command from a standing start, the best of five; undefined if it does not run. */
function coldSeconds(command: string, args: string[]): number | undefined {
  let best: number | undefined;
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    if (spawnSync(command, args, { stdio: "ignore" }).status !== 0) return undefined;
    const seconds = (performance.now() - start) / 1000;
    best = Math.min(best ?? seconds, seconds);
  }
  return best;
}

const root = join(import.meta.dirname, "../..");
const cli = join(root, "dist/cli/main.js");

/** Lines of the program whose memory is measured. */
const MEMORY_LINES = 6000;

export const run: Benchmark = async (report) => {
  const tutorial = readFileSync(join(root, "p4/ecmp/tor.p4"), "utf8");
  report({
    name: "compile/warm-ecmp-tor",
    unit: "ms",
    value: medianTime(15, () => compileText(tutorial, "all")),
  });
  for (const tables of [10, 50, 160, 460]) {
    const text = fabricProgram(tables);
    const size = `${Math.round(text.length / 1000)}kB-${text.split("\n").length}-lines`;
    report({
      name: `compile/parse-${size}`,
      unit: "ms",
      value: medianTime(15, () => compileText(text, "parse")),
    });
    report({
      name: `compile/warm-${size}`,
      unit: "ms",
      value: medianTime(5, () => compileText(text, "all")),
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "p4loom-bench-"));
  try {
    for (const [name, text] of [
      ["ecmp-tor", tutorial],
      ["4000-lines", fabricProgram(160)],
    ] as const) {
      const source = join(folder, `${name}.p4`);
      writeFileSync(source, text);
      const outputs = [
        "-o",
        join(folder, "out.json"),
        "--p4runtime-files",
        join(folder, "out.txtpb"),
        source,
      ];
      if (!existsSync(cli)) execFileSync("npm", ["run", "build"], { cwd: root, stdio: "ignore" });
      const value = coldSeconds(process.execPath, [cli, "compile", ...outputs]);
      if (value === undefined) throw new Error(`p4loom compile fails on ${name}`);
      const rival = coldSeconds("p4c-bm2-ss", outputs);
      report({
        name: `compile/cold-${name}`,
        unit: "s",
        value,
        ...(rival === undefined ? {} : { rival: { name: "p4c", value: rival } }),
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  report({ name: `compile/memory-${MEMORY_LINES}-lines`, unit: "MB", value: await peakMemory() });
};

/** Peak resident megabytes of a process that compiles one large program. */
function peakMemory(): Promise<number> {
  const child = fork(import.meta.filename, ["--memory"], { execArgv: process.execArgv });
  return new Promise((resolve, reject) => {
    child.once("message", (kilobytes: number) => resolve(kilobytes / 1024));
    child.once("error", reject);
  });
}

if (process.argv[2] === "--memory") {
  compileText(fabricProgram(Math.round(MEMORY_LINES / 24)), "all");
  process.send!(process.resourceUsage().maxRSS, () => process.exit(0));
}
