/** Small programs for tests, as text, and targets with less than a chip has. */
import type { Target } from "../../../src/toolchain/fit/index.js";

export interface TableSpec {
  /** Match kind and width of the key. */
  kind: "exact" | "ternary" | "lpm" | "range";
  keyBits: number;
  size: number;
  /** Bits of action data; 0: an action without data. */
  dataBits?: number;
  /** Extra text: declarations before the table, statements of the action, properties of the table. */
  declare?: string;
  statement?: string;
  property?: string;
  /** Without a second action every entry has the same one. */
  single?: boolean;
}

const around = (fields: string, locals: string, apply: string, egress = "") => `#include <core.p4>
#include <v1model.p4>
header d_h { ${fields} }
struct headers_t { d_h d; }
struct meta_t { bit<32> m0; bit<32> m1; bit<8> m2; }
parser Prs(packet_in pkt, out headers_t h, inout meta_t m, inout standard_metadata_t sm) {
  state start { pkt.extract(h.d); transition accept; }
}
control Vfy(inout headers_t h, inout meta_t m) { apply { } }
control Cmp(inout headers_t h, inout meta_t m) { apply { } }
control Ing(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) {
${locals}
  apply { ${apply} }
}
control Egr(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) { apply { ${egress} } }
control Dep(packet_out pkt, in headers_t h) { apply { pkt.emit(h.d); } }
V1Switch(Prs(), Vfy(), Ing(), Egr(), Cmp(), Dep()) main;
`;

export const wrap = around;

/** One table `t`; the key is in its own header bytes, results of 32 bits each follow it. */
export function oneTable(spec: TableSpec): string {
  const data = spec.dataBits ?? 0;
  const pad = (8 - (spec.keyBits % 8)) % 8;
  const words = Math.ceil(data / 32);
  const results = Array.from({ length: Math.max(1, words) }, (_, i) => `bit<32> r${i};`);
  const keys: string[] = [];
  for (let rest = spec.keyBits, i = 0; rest > 0; i++) {
    const bits = Math.min(64, rest);
    keys.push(`bit<${bits}> k${i};`);
    rest -= bits;
  }
  const params: string[] = [];
  const writes: string[] = [];
  for (let rest = data, i = 0; rest > 0; i++) {
    const bits = Math.min(32, rest);
    params.push(`bit<${bits}> v${i}`);
    writes.push(`h.d.r${i} = ${bits === 32 ? "" : "(bit<32>) "}v${i};`);
    rest -= bits;
  }
  const fields = `${keys.join(" ")} ${pad > 0 ? `bit<${pad}> pad;` : ""} ${results.join(" ")}`;
  return around(
    fields,
    `${spec.declare ?? ""}
  action go(${params.join(", ")}) { ${writes.join(" ")} ${spec.statement ?? ""} }
  action nop() { }
  table t {
    key = { ${keys.map((_, i) => `h.d.k${i} : ${spec.kind};`).join(" ")} }
    actions = { go; ${spec.single ? "@defaultonly " : ""}nop; }
    size = ${spec.size};
    default_action = nop();
    ${spec.property ?? ""}
  }`,
    "t.apply();",
  );
}

export interface RandomTable {
  /** Index of the result field that is the key; -1: a field of its own. */
  key: number;
  writes: number;
  ternary: boolean;
  size: number;
  /** Behind a condition on a field of its own. */
  guarded: boolean;
}

/** Tables one after another that match and write each other's fields. */
export function randomProgram(tables: readonly RandomTable[]): string {
  const fields = [
    ...tables.map((_, i) => `bit<32> f${i};`),
    ...tables.map((_, i) => `bit<32> k${i};`),
    ...tables.map((_, i) => `bit<8> c${i};`),
  ];
  const locals = tables.map((table, i) => {
    const key = table.key >= 0 && table.key < tables.length ? `f${table.key}` : `k${i}`;
    return `  action a${i}(bit<32> v) { h.d.f${table.writes % tables.length} = v; }
  table t${i} { key = { h.d.${key} : ${table.ternary ? "ternary" : "exact"}; } actions = { a${i}; NoAction; } size = ${table.size}; default_action = NoAction(); }`;
  });
  const apply = tables.map((table, i) =>
    table.guarded ? `if (h.d.c${i} == 1) { t${i}.apply(); }` : `t${i}.apply();`,
  );
  return around(fields.join(" "), locals.join("\n"), apply.join(" "));
}

/** Fields of the header of small programs with several tables. */
export const FIELDS =
  "bit<32> a; bit<32> b; bit<32> c; bit<32> e; bit<32> f; bit<32> g; bit<8> s; bit<8> x; bit<8> y; bit<8> z;";

/** A table with an action `NAME_go(v)` of one statement; `more`: further properties. */
export const tableText = (name: string, key: string, statement: string, more = "", size = 16) =>
  `action ${name}_go(bit<32> v) { ${statement} }
  table ${name} { key = { ${key}; } actions = { ${name}_go; NoAction; } size = ${size}; default_action = NoAction(); ${more} }`;

/** Targets like `target`, with other numbers for a stage and for SRAM. */
export const smaller =
  (target: Target) =>
  (
    change: Partial<Target["per_stage"]>,
    sram: Partial<Target["sram"]> = {},
    more: Partial<Target> = {},
  ): Target => ({
    ...target,
    per_stage: { ...target.per_stage, ...change },
    sram: { ...target.sram, ...sram },
    ...more,
  });

/** Texts of a program for TNA. */
export interface TnaParts {
  /** Controls that ingress can apply. */
  controls?: string;
  ingress?: string;
  apply?: string;
  deparser?: string;
  /** More headers of type `x_h`, and what the parser of ingress does after the first header. */
  headers?: readonly string[];
  parser?: string;
  egress?: string;
  pipes?: readonly string[];
}

/** A program for Tofino 1, or for the chip that `__TARGET_TOFINO__` names. */
export const tnaSource = ({
  controls = "",
  ingress = "",
  apply = "",
  deparser = "",
  headers = [],
  parser = "transition accept; }",
  egress = "",
  pipes = ["pipe"],
}: TnaParts) => `#include <core.p4>
#include <tna.p4>
header d_h { bit<32> a; bit<32> b; bit<32> c; bit<16> i; bit<16> t; }
header x_h { bit<32> v; bit<32> w; bit<16> sum; }
struct headers_t { d_h d; ${headers.map((name) => `x_h ${name};`).join(" ")} }
struct meta_t { bit<32> m; bit<32> n; bit<10> session; bit<8> colour; bit<8> twin; }
struct pair_t { bit<32> lo; bit<32> hi; }
parser InParser(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig) {
    state start { pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.d); ${parser}
}
${controls}
control In(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig,
           in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
           inout ingress_intrinsic_metadata_for_tm_t tm) {
${ingress}
    apply { ${apply} }
}
control InDeparser(packet_out pkt, inout headers_t hdr, in meta_t md,
                   in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    Mirror() mirror; Checksum() sum;
    apply { ${deparser} pkt.emit(hdr); }
}
parser OutParser(packet_in pkt, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t eg) {
    state start { pkt.extract(eg); transition accept; }
}
control Out(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t eg,
            in egress_intrinsic_metadata_from_parser_t prsr, inout egress_intrinsic_metadata_for_deparser_t dprsr,
            inout egress_intrinsic_metadata_for_output_port_t port) { apply { ${egress} } }
control OutDeparser(packet_out pkt, inout headers_t hdr, in meta_t md,
                    in egress_intrinsic_metadata_for_deparser_t dprsr) { apply { pkt.emit(hdr); } }
${pipes.map((name) => `Pipeline(InParser(), In(), InDeparser(), OutParser(), Out(), OutDeparser()) ${name};`).join("\n")}
Switch(${pipes.join(", ")}) main;
`;

export interface PardeParts {
  arch?: "tna" | "t2na";
  /** Types of headers; those that are parsed; values of metadata. */
  types?: string;
  headers?: string;
  metadata?: string;
  /** Instances and states of the ingress parser, which goes on to the state `first`. */
  locals?: string;
  states: string;
  /** Tables and instances of ingress. */
  controls?: string;
  apply?: string;
  deparserLocals?: string;
  deparser?: string;
  egressHeaders?: string;
  egressState?: string;
}

/** A program for a Tofino whose parser and deparser matter. */
export const pardeSource = ({
  arch = "tna",
  types = "",
  headers = "",
  metadata = "",
  locals = "",
  states,
  controls = "",
  apply = "",
  deparserLocals = "",
  deparser = "",
  egressHeaders = "",
  egressState = "",
}: PardeParts) => `#include <core.p4>
#include <${arch}.p4>
${types}
struct headers_t { ${headers} }
struct locals_t { ${metadata} }
struct e_headers_t { ${egressHeaders} }
struct e_locals_t { }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig) {
  ${locals}
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); transition first; }
  ${states}
}
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) { ${controls} apply { ${apply} } }
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) {
  ${deparserLocals} apply { ${deparser} p.emit(h); } }
parser EP(packet_in p, out e_headers_t h, out e_locals_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); ${egressState} transition accept; } }
control E(inout e_headers_t h, inout e_locals_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { } }
control ED(packet_out p, inout e_headers_t h, in e_locals_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h); } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;
