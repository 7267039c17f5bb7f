/**
 * `npm run bench -- tofino`: packets a second of the same L3 switch for v1model and for a Tofino, with and without egress, and what a
 * register, a hash and a mirror add to it; the time from the start of a process to the answers to its packets; ten Tofinos in one process.
 */
import { execFileSync } from "node:child_process";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { Switch } from "../../src/toolchain/switch/index.js";
import { COMMAND } from "../../test/built-command.js";
import type { Benchmark } from "../benchmark.js";
import { ipv4Frame } from "./switch/packets.js";
import { type Load, rivalRates } from "./switch/rate.js";

const DECLARATIONS = `
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
header ipv4_t {
  bit<4> version; bit<4> ihl; bit<8> tos; bit<16> len; bit<16> id; bit<16> fragment; bit<8> ttl; bit<8> protocol; bit<16> checksum;
  bit<32> src; bit<32> dst;
}
struct headers { eth_t eth; ipv4_t ipv4; }
struct metadata { bit<16> hop; }
`;

/** Everything of ingress but how a packet gets its port and is dropped. */
const TABLES = `
  action route(bit<16> hop) { m.hop = hop; hdr.ipv4.ttl = hdr.ipv4.ttl - 1; }
  table routes { key = { hdr.ipv4.dst: lpm; } actions = { route; lose; } const default_action = lose(); size = 1024; }
  table hops { key = { m.hop: exact; } actions = { send; lose; } const default_action = lose(); size = 1024; }
`;

const SUMMED =
  "hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.len, hdr.ipv4.id, hdr.ipv4.fragment, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst";

const STATES = `
  state eth { p.extract(hdr.eth); transition select(hdr.eth.type) { 0x800: ipv4; default: accept; } }
  state ipv4 { p.extract(hdr.ipv4); transition accept; }
`;

/** The switch for v1model, with statements of egress. */
const v1model = (egress: string): string => `
#include <core.p4>
#include <v1model.p4>
${DECLARATIONS}
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {
  state start { transition eth; }
  ${STATES}
}
control None(inout headers hdr, inout metadata m) { apply { } }
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t s) {
  action send(bit<9> port, bit<48> src, bit<48> dst) { s.egress_spec = port; hdr.eth.src = src; hdr.eth.dst = dst; }
  action lose() { mark_to_drop(s); }
  ${TABLES}
  apply { if (hdr.ipv4.isValid()) { routes.apply(); hops.apply(); } }
}
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { ${egress} } }
control Sum(inout headers hdr, inout metadata m) {
  apply { update_checksum(hdr.ipv4.isValid(), { ${SUMMED} }, hdr.ipv4.checksum, HashAlgorithm.csum16); }
}
control TheDeparser(packet_out p, in headers hdr) { apply { p.emit(hdr.eth); p.emit(hdr.ipv4); } }
V1Switch(TheParser(), None(), TheIngress(), TheEgress(), Sum(), TheDeparser()) main;
`;

interface Extra {
  locals?: string;
  apply?: string;
  egress?: string;
}

function tofino({ locals = "", apply = "", egress = "" }: Extra): string {
  return `
#include <core.p4>
#include <tna.p4>
${DECLARATIONS}
header mirror_t { bit<16> hop; }
parser IP(packet_in p, out headers hdr, out metadata m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); transition eth; }
  ${STATES}
}
control TheIngress(inout headers hdr, inout metadata m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t prsr,
    inout ingress_intrinsic_metadata_for_deparser_t dprsr, inout ingress_intrinsic_metadata_for_tm_t tm) {
  action send(bit<9> port, bit<48> src, bit<48> dst) { tm.ucast_egress_port = port; hdr.eth.src = src; hdr.eth.dst = dst; }
  action lose() { dprsr.drop_ctl = 1; }
  ${TABLES}
  ${locals}
  apply { if (hdr.ipv4.isValid()) { routes.apply(); hops.apply(); } ${apply} }
}
control ID(packet_out p, inout headers hdr, in metadata m, in ingress_intrinsic_metadata_for_deparser_t dprsr) {
  Checksum() sum;
  Mirror() mirror;
  apply {
    if (dprsr.mirror_type == 1) { mirror.emit<mirror_t>(10w1, { m.hop }); }
    hdr.ipv4.checksum = sum.update({ ${SUMMED} });
    p.emit(hdr);
  }
}
parser EP(packet_in p, out headers hdr, out metadata m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); transition ${egress === "" ? "accept" : "eth"}; }
  ${STATES}
}
control TheEgress(inout headers hdr, inout metadata m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t prsr,
    inout egress_intrinsic_metadata_for_deparser_t dprsr, inout egress_intrinsic_metadata_for_output_port_t oport) {
  apply { ${egress} }
}
control ED(packet_out p, inout headers hdr, in metadata m, in egress_intrinsic_metadata_for_deparser_t dprsr) { apply { p.emit(hdr); } }
Pipeline(IP(), TheIngress(), ID(), EP(), TheEgress(), ED()) pipe;
Switch(pipe) main;
`;
}

const BYPASS = "tm.bypass_egress = 1;";
const REWRITE = "hdr.ipv4.tos = 1;";

const V1MODEL = ["v1model", v1model("")] as const;
const BYPASSING = ["Tofino without egress", tofino({ apply: BYPASS })] as const;

/** What is measured, each beside another program: its twin, or the program to which it adds something. */
const PAIRS: readonly { program: readonly [string, string]; beside: readonly [string, string] }[] = [
  { program: BYPASSING, beside: V1MODEL },
  { program: ["Tofino, egress parses nothing", tofino({})], beside: V1MODEL },
  {
    program: ["Tofino, egress parses and rewrites the headers", tofino({ egress: REWRITE })],
    beside: ["v1model, egress rewrites the headers", v1model(REWRITE)],
  },
  {
    program: [
      "Tofino without egress, register",
      tofino({
        locals: `Register<bit<32>, bit<10>>(1024) cells;
        RegisterAction<bit<32>, bit<10>, bit<32>>(cells) count = {
          void apply(inout bit<32> value, out bit<32> result) { value = value |+| 1; result = value; } };`,
        apply: `${BYPASS} if (count.execute(hdr.ipv4.dst[9:0]) == 0) { dprsr.drop_ctl = 1; }`,
      }),
    ],
    beside: BYPASSING,
  },
  {
    program: [
      "Tofino without egress, CRC-32 of the addresses",
      tofino({
        locals: "Hash<bit<32>>(HashAlgorithm_t.CRC32) h;",
        apply: `${BYPASS} if (h.get({ hdr.ipv4.src, hdr.ipv4.dst }) == 0) { dprsr.drop_ctl = 1; }`,
      }),
    ],
    beside: BYPASSING,
  },
  {
    program: [
      "Tofino without egress, mirror to a session",
      tofino({ apply: `${BYPASS} dprsr.mirror_type = 1;` }),
    ],
    beside: BYPASSING,
  },
];

const PROCESS = "--pair";
const CALLS = 5;

/** In a process of their own, since V8 makes the best code for what has one shape only. */
function ratesOf(pair: number): number[] {
  const words = [...process.execArgv, import.meta.filename, PROCESS, String(pair)];
  return JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" })) as number[];
}

/** Seconds that a call of the built command takes, the least of several. */
function callTime(calls: number, ...args: string[]): number {
  const times = Array.from({ length: calls }, () => {
    const began = performance.now();
    execFileSync(process.execPath, [COMMAND, ...args], { stdio: "ignore" });
    return (performance.now() - began) / 1000;
  });
  return Math.min(...times);
}

export const run: Benchmark = async (report) => {
  for (const [i, { program, beside }] of PAIRS.entries()) {
    const [rate = Number.NaN, other = Number.NaN] = ratesOf(i);
    const rival = { name: beside[0], value: other };
    report({ name: `tofino/small l3, ${program[0]}`, unit: "packets/s", value: rate, rival });
    report({ name: `tofino/small l3, ${program[0]}, of ${beside[0]}`, unit: "1", value: rate / other });
  }
  const folder = "test/golden/tna/run";
  report({
    name: "tofino/start to the end of a packet test",
    unit: "s",
    value: callTime(CALLS, "stf", `${folder}/copies.p4`, `${folder}/copies.stf`),
  });
  const value = callTime(1, "run", "examples/schemes/tofino.yaml");
  report({ name: "tofino/an experiment with ten Tofinos", unit: "s", value });
};

function load(text: string): Load {
  const diagnostics = new Diagnostics();
  const compiled = compile({ file: new SourceFile("l3.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  const device = new Switch(compiled!.program, {
    clock: { now: () => 0, at: () => () => {} },
    transmit: () => {},
  });
  const pipe = text.includes("V1Switch") ? "" : "pipe.";
  const bytes = { port: 2n, src: 0x020000000001n, dst: 0x020000000002n };
  device.apply([
    {
      type: "insert",
      entity: {
        kind: "tableEntry",
        table: `${pipe}TheIngress.routes`,
        match: [{ kind: "lpm", field: "hdr.ipv4.dst", value: 0x0a010200n, prefixLength: 24 }],
        priority: 0,
        action: { kind: "action", action: "TheIngress.route", params: { hop: 7n } },
      },
    },
    {
      type: "insert",
      entity: {
        kind: "tableEntry",
        table: `${pipe}TheIngress.hops`,
        match: [{ kind: "exact", field: "m.hop", value: 7n }],
        priority: 0,
        action: { kind: "action", action: "TheIngress.send", params: bytes },
      },
    },
  ]);
  if (text.includes("dprsr.mirror_type = 1"))
    device.apply([
      {
        type: "insert",
        entity: {
          kind: "cloneSession",
          sessionId: 1,
          replicas: [{ port: 3, instance: 0 }],
          classOfService: 0,
          packetLengthBytes: 0,
        },
      },
    ]);
  return { device, frames: Array.from({ length: 64 }, (_, i) => ipv4Frame(0x0a010280 + (i % 4))) };
}

if (process.argv[1] === import.meta.filename && process.argv[2] === PROCESS) {
  const { program, beside } = PAIRS[Number(process.argv[3])]!;
  process.stdout.write(JSON.stringify(rivalRates([load(program[1]), load(beside[1])])));
}
