/** Containers of what the deparser takes besides headers, of what mirrors and digests bring, and of headers that are not sent. */
import { describe, expect, it } from "vitest";
import { DROP_SESSION } from "../../../src/toolchain/fit/phv/pieces.js";
import { verifyPhv } from "../../../src/toolchain/fit/phv/verify.js";
import { toJson } from "../../../src/toolchain/fit/report/json.js";
import { allocationInputOf, fitTna } from "./tna-fit.js";

interface Parts {
  pragmas?: string;
  parse?: string;
  ingress?: string;
  deparse?: string;
  egress?: string;
  egressDeparse?: string;
}

const source = (parts: Parts): string => `#include <core.p4>
#include <tna.p4>
header first_h { bit<16> x; bit<16> y; }
header second_h { bit<8> a; bit<16> b; bit<32> c; bit<8> d; }
header copy_h { bit<8> kind; bit<48> time; }
header timer_h { @padding bit<3> marked; bit<5> free; bit<16> count; }
struct headers_t { timer_h timer; first_h first; second_h second; }
struct locals_t { bit<9> port; bit<10> session; bit<1> yes; bit<1> no; bit<18> whole; bit<8> part; copy_h copy; }
struct news_t { bit<16> b; bit<8> d; }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); ${parts.parse ?? ""} p.extract(h.first); p.extract(h.second); transition accept; } }
${parts.pragmas ?? ""}
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  Register<bit<1>, bit<16>>(65536) r;
  Register<bit<1>, bit<16>>(65536) s;
  RegisterAction<bit<1>, bit<16>, bit<1>>(r) of_r = { void apply(inout bit<1> v, out bit<1> o) { o = v; v = 0; } };
  RegisterAction<bit<1>, bit<16>, bit<1>>(s) of_s = { void apply(inout bit<1> v, out bit<1> o) { o = v; v = 0; } };
  apply { tm.ucast_egress_port = 1; ${parts.ingress ?? ""} }
}
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) {
  Digest<news_t>() news;
  apply { ${parts.deparse ?? ""} p.emit(h); } }
parser EP(packet_in p, out headers_t h, out locals_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); p.extract(h.first); p.extract(h.second); transition accept; } }
control E(inout headers_t h, inout locals_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { ${parts.egress ?? ""} } }
control ED(packet_out p, inout headers_t h, in locals_t m, in egress_intrinsic_metadata_for_deparser_t dp) {
  Mirror() mirror;
  apply { ${parts.egressDeparse ?? ""} p.emit(h); } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;

/** The containers of the fields whose last name is one of the names: `SIZE: field[low+width]@bit ...`. */
function containersOf(parts: Parts, gress: "ingress" | "egress", ...names: string[]): string[] {
  const result = fitTna(source(parts));
  const allocation = result.phv.allocation!;
  expect(verifyPhv(allocationInputOf(result), allocation)).toEqual([]);
  const short = (field: string) => field.split(".").at(-1)!;
  return allocation.containers
    .filter((one) => one.gress === gress && one.slices.some(({ field }) => names.includes(short(field))))
    .map(
      ({ kind, size, slices }) =>
        `${kind === "tagalong" ? "T" : ""}${size}: ${slices.map(({ field, lo, width, at }) => `${short(field)}[${lo}+${width}]@${at}`).join(" ")}`,
    );
}

describe("containers on a Tofino 1", () => {
  it("of bits for the padding come before what else the deparser takes, which stands beside them", () => {
    expect(containersOf({ egress: "if (h.first.x == 1) dp.drop_ctl = 1;" }, "egress", "padding")).toEqual([
      "8: padding[0+3]@0 drop_ctl[0+3]@3",
    ]);
  });

  it("of the egress port hold nothing that the chip's header has after it", () => {
    const egress = "if (eg.enq_qdepth[18:10] > 300) { h.first.x = 7; }";
    expect(containersOf({ egress }, "egress", "egress_port", "enq_qdepth")).toEqual([
      "16: egress_port[0+9]@0",
      "16: enq_qdepth[8+11]@0",
    ]);
  });

  it("of a field with three bytes of its own, in a header that is not sent, have 32 bits", () => {
    const egress = "if (eg.deq_qdepth == 3) { h.first.x = 7; }";
    expect(containersOf({ egress }, "egress", "deq_qdepth")).toEqual(["32: deq_qdepth[0+19]@0"]);
  });

  it("of such a field are cut between its bytes alone, as the parser takes them", () => {
    const egress = `m.part = (bit<8>)(eg.deq_timedelta >> 14); m.whole = eg.deq_timedelta;
      if (m.part == 3) { m.part = m.part + 1; m.whole = 5; }
      if (m.whole == 5) { h.first.y = (bit<16>) m.part; }`;
    expect(containersOf({ egress }, "egress", "deq_timedelta")).toEqual(["32: deq_timedelta[0+18]@0"]);
  });

  it("of what the deparser alone has begin at no stage in --json", () => {
    const phv = toJson(fitTna(source({}))).phv as {
      allocation: { containers: { slices: { field: string; from_stage: number | null }[] }[] };
    };
    const { containers } = phv.allocation;
    const session = containers.flatMap(({ slices }) => slices).find(({ field }) => field === DROP_SESSION);
    expect(session?.from_stage).toBe(null);
  });

  it("of fields that a digest brings are those of tables, each with its own bytes", () => {
    const digest = "if (dp.digest_type == 1) { news.pack({h.second.b, h.second.d}); }";
    const parts = { ingress: "if (h.first.x == 1) dp.digest_type = 1;", deparse: digest };
    expect(containersOf(parts, "ingress", "a", "b", "d")).toEqual([
      "8: d[0+8]@0",
      "16: b[0+16]@0",
      "T8: a[0+8]@0",
    ]);
  });

  it("of bytes with padding that no table touches are those of tables, of the other ones not", () => {
    const parse = "p.extract(h.timer);";
    expect(containersOf({ parse }, "ingress", "marked", "free", "count")).toEqual([
      "8: marked[0+3]@5 free[0+5]@0",
      "T16: count[0+16]@0",
    ]);
  });

  it("of what a mirror carries are there also where nothing sets it", () => {
    const egressDeparse =
      "if (dp.mirror_type == 1) { mirror.emit<copy_h>(m.session, {m.copy.kind, m.copy.time}); }";
    expect(containersOf({ egressDeparse }, "egress", "session", "kind", "time", "mirror_type")).toEqual([
      "8: mirror_type[0+3]@0",
      "8: kind[0+8]@0",
      "16: session[0+10]@0",
      "16: time[32+16]@0",
      "32: time[0+32]@0",
    ]);
  });

  it("of what the parser takes from the packet hold no value that the deparser finds cleared", () => {
    const ingress = "if (m.port == 68) dp.drop_ctl = 1;";
    expect(
      containersOf({ parse: "m.port = ig.ingress_port;", ingress }, "ingress", "port", "drop_ctl"),
    ).toEqual(["8: drop_ctl[0+3]@0", "16: port[0+9]@0"]);
  });

  it("hold no two fields that @pa_no_pack names, so that tables that set them share a stage", () => {
    const ingress = `m.yes = of_r.execute(h.first.x); m.no = of_s.execute(h.first.x);
      if (m.yes == 1 && m.no == 0) h.first.y = 1;`;
    const pragmas = '@pa_no_pack("ingress", "m.yes", "m.no")';
    expect(fitTna(source({ ingress })).stages).toBe(3);
    expect(fitTna(source({ ingress, pragmas })).stages).toBe(2);
    expect(containersOf({ ingress, pragmas }, "ingress", "yes", "no").length).toBe(2);
  });
});
