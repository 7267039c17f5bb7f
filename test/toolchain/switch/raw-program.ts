/**
 * A program whose BMv2 JSON a test changes, for parts of the format that p4loom's compiler does not write: other compilers, old ones
 * and people do.
 */
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { type bmv2, createP4Info, type Program, readBmv2 } from "../../../src/toolchain/program/index.js";

const SOURCE = `
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<16> b; bit<32> c; bit<64> d; }
header s_t { bit<8> x; }
header t_t { bit<16> y; }
header v_t { bit<8> bits; varbit<32> data; }
header_union u_t { s_t p; t_t q; }
struct headers { h_t h; h_t i; s_t[3] s; s_t[3] z; u_t u; u_t w; u_t[2] us; u_t[2] ut; v_t v; v_t k; }
struct metadata { bit<2> colour; bit<16> sum; }
parser TheParser(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t sm) {
  value_set<bit<8>>(4) known;
  state start {
    p.extract(hdr.h); p.extract(hdr.i); p.extract(hdr.s.next); p.extract(hdr.s.next); p.extract(hdr.u.p);
    p.extract(hdr.us.next.q); p.extract(hdr.v, 16);
    transition select(hdr.h.a) { known: more; default: accept; }
  }
  state more { p.extract(hdr.us.next.p); transition accept; }
}
control TheChecks(inout headers hdr, inout metadata m) { apply { } }
control TheUpdate(inout headers hdr, inout metadata m) {
  apply { update_checksum(hdr.h.a == 0xee, { hdr.h.c, hdr.h.d }, hdr.h.b, HashAlgorithm.csum16); }
}
control TheIngress(inout headers hdr, inout metadata m, inout standard_metadata_t sm) {
  register<bit<16>>(4) cells;
  counter(4, CounterType.packets) hits;
  meter(4, MeterType.packets) rates;
  direct_meter<bit<2>>(MeterType.packets) own;
  action act() { hdr.h.a = 1; }
  action with(bit<8> n) { hdr.h.a = n; own.read(m.colour); }
  table t { key = { hdr.h.a: exact; } actions = { with; } meters = own; }
  apply {
    sm.egress_spec = 2;
    act();
    hash(m.sum, HashAlgorithm.crc16, (bit<16>)0, { hdr.h.c }, (bit<32>)65536);
    cells.write(0, 1); hits.count(0); rates.execute_meter(0, m.colour);
    t.apply();
    if (hdr.h.c == 5) { m.colour = 1; }
  }
}
control TheEgress(inout headers hdr, inout metadata m, inout standard_metadata_t sm) { apply { } }
control TheDeparser(packet_out p, in headers hdr) {
  apply {
    p.emit(hdr.h); p.emit(hdr.i); p.emit(hdr.s); p.emit(hdr.z); p.emit(hdr.u); p.emit(hdr.w);
    p.emit(hdr.us); p.emit(hdr.ut); p.emit(hdr.v); p.emit(hdr.k);
  }
}
V1Switch(TheParser(), TheChecks(), TheIngress(), TheEgress(), TheUpdate(), TheDeparser()) main;
`;

const diagnostics = new Diagnostics();
const compiled = compile({ file: new SourceFile("raw.p4", SOURCE) }, diagnostics);
diagnostics.throwIfErrors();

/** The headers h, i, s[0], s[1], u.p, us[0].q and v of a packet, each as hexadecimal digits. */
export const PACKET = {
  h: "01 0002 00000003 0000000000000004",
  i: "05 0006 00000007 8000000000000008",
  s: "09 0a",
  u: "0b",
  us: "0102",
  v: "10 0c0d",
};

export const digits = (...parts: readonly string[]): string => parts.join("").replaceAll(" ", "");

/** The program with changed JSON, which the reader of BMv2 JSON takes. */
export function changed(change: (program: bmv2.Bmv2Program) => void): Program {
  const copy = structuredClone(compiled!.program.bmv2);
  change(copy);
  const diagnostics = new Diagnostics();
  const program = readBmv2(new SourceFile("raw.json", JSON.stringify(copy)), diagnostics);
  diagnostics.throwIfErrors();
  return { bmv2: program!, p4info: createP4Info() };
}

/** A primitive as it is written: the operation, then its parameters. */
export type Written = readonly [op: string, ...parameters: bmv2.Value[]];

/** The program whose action does this. */
export function doing(...primitives: readonly Written[]): Program {
  return changed(({ actions }) => {
    const action = actions.find(({ name }) => name === "TheIngress.act")!;
    action.primitives = primitives.map(([op, ...parameters]) => ({ op, parameters }));
  });
}

export const field = (header: string, name: string): bmv2.Value => ({ type: "field", value: [header, name] });
export const hex = (value: string): bmv2.Value => ({ type: "hexstr", value });
export const header = (value: string): bmv2.Value => ({ type: "header", value });
export const stack = (value: string): bmv2.Value => ({ type: "header_stack", value });
export const union = (value: string): bmv2.Value => ({ type: "header_union", value });
export const unionStack = (value: string): bmv2.Value => ({ type: "header_union_stack", value });
export const operation = (
  op: string,
  left: bmv2.Value | null,
  right: bmv2.Value | number,
  cond?: bmv2.Value,
): bmv2.Value => ({
  type: "expression",
  value: { op, left, right, ...(cond === undefined ? {} : { cond }) } as bmv2.Expression,
});
