/** Containers of what mirrors carry, beside values that tables change by a constant, and of headers that a table brings together. */
import { describe, expect, it } from "vitest";
import { verifyPhv } from "../../../src/toolchain/fit/phv/verify.js";
import { allocationInputOf, fitTna } from "./tna-fit.js";

interface Parts {
  parse?: string;
  ingress?: string;
  deparse?: string;
  egressParse?: string;
  egress?: string;
  egressDeparse?: string;
}

const source = (parts: Parts): string => `#include <core.p4>
#include <tna.p4>
header first_h { bit<16> x; bit<16> y; }
header second_h { bit<16> a; bit<16> b; }
header made_h { bit<8> kind; bit<16> v; bit<9> port; bit<7> rest; }
header copy_h { bit<4> kind; bit<4> info; bit<7> pad; bit<1> era; bit<16> count; }
struct headers_t { first_h first; second_h second; second_h third; }
struct locals_t { bit<4> kind; bit<4> info; bit<1> era; bit<16> count; bit<10> session; made_h made; }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); p.extract(h.first);
    transition select(h.first.x) { 1: other; 2: more; default: accept; } }
  state other { p.extract(h.second); transition accept; }
  state more { p.extract(h.third); transition accept; } }
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  apply { tm.ucast_egress_port = 1; ${parts.ingress ?? ""} } }
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) {
  Mirror() mirror;
  apply { ${parts.deparse ?? ""} p.emit(h); } }
parser EP(packet_in p, out headers_t h, out locals_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); ${parts.egressParse ?? ""}
    transition select(p.lookahead<bit<8>>()) { 1: made; default: usual; } }
  state made { p.extract(m.made); p.extract(h.first); transition accept; }
  state usual { p.extract(h.first); p.extract(h.second); transition accept; } }
control Part(inout headers_t h, out locals_t m, inout egress_intrinsic_metadata_for_deparser_t dp) {
  apply { if (h.first.x == 5) dp.drop_ctl = 1; } }
control E(inout headers_t h, inout locals_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) {
  Part() part;
  action send(bit<10> session) { m.session = session; dp.mirror_type = 1; }
  table of_port { key = { m.made.port : exact; } actions = { send; } size = 16; }
  apply { ${parts.egress ?? ""} } }
control ED(packet_out p, inout headers_t h, in locals_t m, in egress_intrinsic_metadata_for_deparser_t dp) {
  Mirror() mirror;
  apply { ${parts.egressDeparse ?? ""} p.emit(h); } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;

/** The containers of the fields whose last names are given: `SIZE: header.field[low+width]@bit ...`. */
function containersOf(parts: Parts, gress: "ingress" | "egress", ...names: string[]): string[] {
  const result = fitTna(source(parts));
  const allocation = result.phv.allocation!;
  expect(verifyPhv(allocationInputOf(result), allocation)).toEqual([]);
  const short = (field: string) => field.split(".").slice(-2).join(".");
  const isMeant = (field: string) => names.some((name) => short(field).endsWith(name));
  return allocation.containers
    .filter((one) => one.gress === gress && one.slices.some(({ field }) => isMeant(field)))
    .map(
      ({ kind, size, slices }) =>
        `${kind === "tagalong" ? "T" : ""}${size}: ${slices.map(({ field, lo, width, at }) => `${short(field)}[${lo}+${width}]@${at}`).join(" ")}`,
    );
}

const set = "m.session = 3; m.kind = 1; m.info = 2; m.era = 1; m.count = h.first.y; dp.mirror_type = 1;";

describe("containers on a Tofino 1", () => {
  it("of values that a mirror carries hold those of one byte together", () => {
    const deparse =
      "if (dp.mirror_type == 1) mirror.emit<copy_h>(m.session, {m.kind, m.info, 0, m.era, m.count});";
    expect(containersOf({ ingress: set, deparse }, "ingress", "m.kind", "m.info", "m.era")).toEqual([
      "8: m.info[0+4]@0 m.kind[0+4]@4",
      "8: m.era[0+1]@0",
    ]);
  });

  it("of a mirror's session are one", () => {
    const egress = "if (h.first.x == 7) m.made.port = eg.egress_port; of_port.apply();";
    const egressDeparse = "if (dp.mirror_type == 1) mirror.emit<second_h>(m.session, {m.count, 1});";
    expect(containersOf({ egress, egressDeparse }, "egress", "session", "made.port")).toEqual([
      "16: m_0.session[0+10]@0",
      "16: made.port[0+9]@7",
    ]);
  });

  it("of a value that a table changes by logic with a constant hold others, too", () => {
    const egress = "if (h.first.x == 1) dp.drop_ctl = dp.drop_ctl | 1;";
    expect(containersOf({ egress }, "egress", "drop_ctl")).toEqual([
      "8: $egress.padding[0+3]@0 dp_0.drop_ctl[0+3]@3",
    ]);
  });

  it("of a header that is not sent are those of one that a table makes in its place", () => {
    const egress = "if (m.made.isValid()) { h.second.setValid(); h.second.a = m.made.v; h.second.b = 1; }";
    expect(containersOf({ egress }, "egress", "second.a", "second.b", "made.v")).toEqual([
      "16: made.v[0+16]@0 second.a[0+16]@0",
      "16: second.b[0+16]@0",
    ]);
  });

  it("has no bit for a header of an out parameter that no deparser sends", () => {
    const egress = "part.apply(h, m, dp);";
    expect(containersOf({ egress }, "egress", "second.$valid$")).toEqual([
      "8: first.$valid$[0+1]@0 second.$valid$[0+1]@1",
    ]);
  });
});
