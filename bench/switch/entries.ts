/** What a table of 100,000 entries costs a packet, over one of 100: exact and longest-prefix match apart. */
import { Diagnostics, Random, SourceFile } from "../../src/base/index.js";
import { compile } from "../../src/p4/index.js";
import type { Match, Update } from "../../src/program/index.js";
import { Switch } from "../../src/switch/index.js";
import { ipv4Frame } from "./packets.js";
import { rate } from "./rate.js";

const FEW = 100;
const MANY = 100_000;
/** Different packets, the same number in either case, so that their own memory costs the same. */
const PACKETS = 65_536;

interface Kind {
  kind: string;
  match(address: number): Match;
  /** Addresses of entries that do not overlap. */
  address(i: number): number;
}

const KINDS: readonly Kind[] = [
  {
    kind: "exact",
    match: (address) => ({ kind: "exact", field: "hdr.ipv4.dst", value: BigInt(address) }),
    address: (i) => 0x0a000000 + 7 * i,
  },
  {
    kind: "LPM",
    match: (address) => ({ kind: "lpm", field: "hdr.ipv4.dst", value: BigInt(address), prefixLength: 24 }),
    address: (i) => 0x0a000000 + 256 * i,
  },
];

export function entryCosts(): { kind: string; few: number; many: number }[] {
  return KINDS.map((kind) => ({ kind: kind.kind, few: rateWith(kind, FEW), many: rateWith(kind, MANY) }));
}

function rateWith({ kind, match, address }: Kind, entries: number): number {
  const text = PROGRAM.replace("KIND", kind.toLowerCase()).replace("SIZE", String(MANY));
  const diagnostics = new Diagnostics();
  const compiled = compile({ file: new SourceFile("entries.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  const device = new Switch(compiled!.program, {
    clock: { now: () => 0, at: () => () => {} },
    transmit: () => {},
  });
  const updates = Array.from({ length: entries }, (_, i): Update => {
    const action = { kind: "action" as const, action: "TheIngress.send", params: { port: BigInt(i % 8) } };
    const entity = { kind: "tableEntry" as const, table: "TheIngress.hosts", priority: 0, action };
    return { type: "insert", entity: { ...entity, match: [match(address(i))] } };
  });
  device.apply(updates);
  const random = new Random(1);
  return rate(
    device,
    Array.from({ length: PACKETS }, () => ipv4Frame(address(random.int(entries)))),
  );
}

const PROGRAM = `
#include <core.p4>
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
header ipv4_t {
  bit<8> version; bit<8> tos; bit<16> len; bit<32> id; bit<8> ttl; bit<8> protocol; bit<16> checksum;
  bit<32> src; bit<32> dst;
}
struct headers { eth_t eth; ipv4_t ipv4; }
struct metadata { }
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {
  state start { p.extract(hdr.eth); p.extract(hdr.ipv4); transition accept; }
}
control TheChecks(inout headers hdr, inout metadata m) { apply { } }
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t s) {
  action send(bit<9> port) { s.egress_spec = port; hdr.ipv4.ttl = hdr.ipv4.ttl - 1; }
  action lose() { mark_to_drop(s); }
  table hosts {
    key = { hdr.ipv4.dst: KIND; }
    actions = { send; lose; }
    default_action = lose();
    size = SIZE;
  }
  apply { hosts.apply(); }
}
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t s) { apply { } }
control TheDeparser(packet_out p, in headers hdr) { apply { p.emit(hdr.eth); p.emit(hdr.ipv4); } }
V1Switch(TheParser(), TheChecks(), TheIngress(), TheEgress(), TheChecks(), TheDeparser()) main;
`;
