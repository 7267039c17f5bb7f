/** Bytes of a header that an action sets from more sources than an instruction has stand in smaller containers, with what is tied to them. */
import { describe, expect, it } from "vitest";
import { fitTna } from "./tna-fit.js";

/** `make` sets fields of a header of two halves; `out` copies one value to another, which ties their containers. */
const source = (statements: string): string => `#include <core.p4>
#include <tna.p4>
header first_h { bit<16> x; bit<16> y; }
header pair_h { bit<2> p; bit<14> a; bit<2> q; bit<14> b; }
header late_h { bit<16> l; bit<2> r; bit<14> c; }
struct headers_t { pair_h pair; late_h late; first_h a; }
struct locals_t { bit<14> v; bit<14> w; }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); p.extract(h.a);
    transition select(h.a.x) { 1: pair; 2: late; default: accept; } }
  state pair { p.extract(h.pair); transition accept; }
  state late { p.extract(h.late); transition accept; }
}
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  action set(bit<14> v, bit<14> w) { m.v = v; m.w = w; }
  table s { key = { h.a.x : exact; } actions = { set; } size = 16; }
  action make(bit<14> d) { ${statements} }
  table t { key = { h.a.y : exact; } actions = { make; } size = 16; }
  action copy() { h.late.r = 0; h.late.l = 0; h.late.c = m.v; }
  table u { key = { h.a.y : exact; } actions = { copy; } size = 16; }
  apply { tm.ucast_egress_port = 1; s.apply(); if (h.pair.isValid()) { t.apply(); } else { u.apply(); } }
}
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h); } }
parser EP(packet_in p, out headers_t h, out locals_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); transition accept; } }
control E(inout headers_t h, inout locals_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { } }
control ED(packet_out p, inout headers_t h, in locals_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;

/** Sizes of the containers of fields, by their last names. */
function sizesOf(statements: string, ...names: readonly string[]): number[] {
  const { phv, verdict } = fitTna(source(statements));
  expect(verdict).toBe("placed");
  return names.flatMap((name) =>
    phv.allocation!.containers.flatMap(({ size, gress, slices }) =>
      gress === "ingress" && slices.some(({ field }) => field.endsWith(`.${name}`)) ? [size] : [],
    ),
  );
}

describe("bytes of a header", () => {
  it("stand together where an action has two sources for them", () => {
    const both = "h.pair.p = 0; h.pair.a = m.v; h.pair.q = 0; h.pair.b = 5;";
    expect(sizesOf(both, "pair.a", "pair.b", "late.c", "m.v")).toEqual([32, 32, 32, 32]);
  });

  it("stand apart where the container itself would be a third source, and so does what operations tie to them", () => {
    const three = "h.pair.a = m.v; h.pair.b = d;";
    expect(sizesOf(three, "pair.a", "pair.b", "late.c", "m.v")).toEqual([16, 16, 16, 16]);
  });

  it("stand apart where two values of metadata and a constant are the sources", () => {
    const three = "h.pair.p = 0; h.pair.a = m.v; h.pair.q = 0; h.pair.b = m.w;";
    expect(sizesOf(three, "pair.a", "pair.b", "m.v", "m.w")).toEqual([16, 16, 16, 16]);
  });
});
