/**
 * The additional cost of a packet for a table of 100,000 entries instead of 100, separately for exact and
 * longest-prefix match.
 */
import { Diagnostics, Random, SourceFile } from "../../../src/base/index.js";
import type { Match, Update } from "../../../src/toolchain/device/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ipv4Frame } from "./packets.js";
import { type Load, rivalRates } from "./rate.js";

const FEW = 100;
const MANY = 100_000;
/** Different packets, the same number in either case, so that their own memory costs the same. */
const PACKETS = 65_536;

interface Kind {
  kind: string;
  match(i: number): Match;
  /** Address that entry i matches. */
  address(i: number): number;
}

const field = "hdr.ipv4.dst";

/** Prefixes of 16 to 32 bits all over the address space, some within others. */
function scattered(): { address: number; length: number }[] {
  const random = new Random(2);
  const found = new Map<number, { address: number; length: number }>();
  while (found.size < MANY) {
    const length = 16 + random.int(17);
    const address = (random.int(2 ** 32) & (-1 << (32 - length))) >>> 0;
    found.set(64 * address + length, { address, length });
  }
  return [...found.values()];
}

const PREFIXES = scattered();
const hosts = (i: number) => 0x0a000000 + 7 * i;
const networks = (i: number) => 0x0a000000 + 256 * i;

const KINDS: readonly Kind[] = [
  { kind: "exact", match: (i) => ({ kind: "exact", field, value: BigInt(hosts(i)) }), address: hosts },
  {
    kind: "LPM",
    match: (i) => ({ kind: "lpm", field, value: BigInt(networks(i)), prefixLength: 24 }),
    address: networks,
  },
  {
    kind: "LPM of 16 to 32 bits",
    match: (i) => ({
      kind: "lpm",
      field,
      value: BigInt(PREFIXES[i]!.address),
      prefixLength: PREFIXES[i]!.length,
    }),
    address: (i) => PREFIXES[i]!.address,
  },
];

export function entryCosts(): { kind: string; few: number; many: number }[] {
  return KINDS.map((kind) => {
    const [few, many] = rivalRates(loads(kind));
    return { kind: kind.kind, few: few!, many: many! };
  });
}

/** Both numbers of entries, in switches that share their program and so its generated code. */
function loads({ match, address }: Kind): Load[] {
  const text = PROGRAM.replace("KIND", match(0).kind).replace("SIZE", String(MANY));
  const diagnostics = new Diagnostics();
  const compiled = compile({ file: new SourceFile("entries.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return [FEW, MANY].map((entries) => {
    const device = new Switch(compiled!.program, {
      clock: { now: () => 0, at: () => () => {} },
      transmit: () => {},
    });
    const updates = Array.from({ length: entries }, (_, i): Update => {
      const action = { kind: "action" as const, action: "TheIngress.send", params: { port: BigInt(i % 8) } };
      const entity = { kind: "tableEntry" as const, table: "TheIngress.hosts", priority: 0, action };
      return { type: "insert", entity: { ...entity, match: [match(i)] } };
    });
    device.apply(updates);
    const random = new Random(1);
    const frames = Array.from({ length: PACKETS }, () => ipv4Frame(address(random.int(entries))));
    return { device, frames };
  });
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
