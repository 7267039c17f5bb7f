/**
 * The same L3 switch for v1model and for a Tofino, with and without egress, and what a register, a hash and a mirror add to it.
 * All of them take turns, so that what else the machine does meets them alike.
 */
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ipv4Frame } from "./packets.js";
import { type Load, rivalRates } from "./rate.js";

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

const V1MODEL = `
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
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { } }
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

/** What is measured, the twin of v1model first. */
const PROGRAMS: readonly (readonly [name: string, text: string])[] = [
  ["v1model", V1MODEL],
  ["Tofino without egress", tofino({ apply: BYPASS })],
  ["Tofino, egress parses nothing", tofino({})],
  ["Tofino, egress parses the headers", tofino({ egress: "hdr.ipv4.tos = 1;" })],
  [
    "Tofino without egress, register",
    tofino({
      locals: `Register<bit<32>, bit<10>>(1024) cells;
        RegisterAction<bit<32>, bit<10>, bit<32>>(cells) count = {
          void apply(inout bit<32> value, out bit<32> result) { value = value |+| 1; result = value; } };`,
      apply: `${BYPASS} if (count.execute(hdr.ipv4.dst[9:0]) == 0) { dprsr.drop_ctl = 1; }`,
    }),
  ],
  [
    "Tofino without egress, CRC-32 of the addresses",
    tofino({
      locals: "Hash<bit<32>>(HashAlgorithm_t.CRC32) h;",
      apply: `${BYPASS} if (h.get({ hdr.ipv4.src, hdr.ipv4.dst }) == 0) { dprsr.drop_ctl = 1; }`,
    }),
  ],
  ["Tofino without egress, mirror to a session", tofino({ apply: `${BYPASS} dprsr.mirror_type = 1;` })],
];

/** Packets a second of each program. The first two are measured alone, since V8 makes the best code for what has one shape only. */
export function tofinoRates(): { name: string; rate: number }[] {
  const loads = PROGRAMS.map(([, text]) => load(text));
  const rates = [...rivalRates(loads.slice(0, 2)), ...rivalRates(loads.slice(2))];
  return PROGRAMS.map(([name], i) => ({ name, rate: rates[i]! }));
}

function load(text: string): Load {
  const diagnostics = new Diagnostics();
  const compiled = compile({ file: new SourceFile("l3.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  const device = new Switch(compiled!.program, {
    clock: { now: () => 0, at: () => () => {} },
    transmit: () => {},
  });
  const pipe = text === V1MODEL ? "" : "pipe.";
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
