/** Sums of operands with different widths: what the open compiler refuses, and containers in which a sum goes wrong. */
import { describe, expect, it } from "vitest";
import type { AllocatedContainer, PlacedSlice } from "../../../src/toolchain/fit/phv/allocation.js";
import { verifyPhv } from "../../../src/toolchain/fit/phv/verify.js";
import { allocationInputOf, fitTna } from "./tna-fit.js";

const source = (control: string, apply: string): string => `#include <core.p4>
#include <tna.p4>
header h_t { bit<32> a; bit<32> b; bit<16> x; bit<16> y; bit<8> c; bit<8> d; }
header g_t { bit<8> c; bit<8> e; bit<16> k; }
header n_t { bit<24> t; bit<12> v; bit<4> z; }
struct headers_t { h_t h; g_t g; n_t n; }
struct m_t { bit<16> m1; bit<16> m2; bit<16> m3; bit<8> f; bit<8> k; bit<32> w; }
struct e_t { }
parser IP(packet_in p, out headers_t h, out m_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); p.extract(h.h); p.extract(h.g); p.extract(h.n); transition accept; } }
control I(inout headers_t h, inout m_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  action given(bit<8> v, bit<16> w) { m.f = v; m.k = w[7:0]; m.m2 = w; m.m3 = w; }
  table t0 { key = { h.h.d : exact; } actions = { given; NoAction; } size = 256; }
  action go(PortId_t port) { tm.ucast_egress_port = port; }
  table f1 { key = { m.m1 : exact; m.w : exact; m.k : exact; } actions = { go; NoAction; } size = 64; }
  ${control}
  apply { t0.apply(); ${apply} f1.apply(); } }
control ID(packet_out p, inout headers_t h, in m_t m, in ingress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h.h); p.emit(h.n); } }
parser EP(packet_in p, out headers_t h, out e_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); transition accept; } }
control E(inout headers_t h, inout e_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { } }
control ED(packet_out p, inout headers_t h, in e_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;

const codesOf = (apply: string, control = "") =>
  fitTna(source(control, apply)).diagnostics.flatMap(({ code, severity }) =>
    severity === "error" ? [code] : [],
  );

describe("an operand that is narrower than the sum", () => {
  it.each([
    "h.h.x + (bit<16>) h.h.c",
    "h.h.x - (bit<16>) h.h.c",
    "(bit<16>) h.h.c - h.h.x",
    "h.h.x |+| (bit<16>) h.h.c",
    "(bit<16>) h.h.c + 5",
    "(bit<16>) h.h.c + (bit<16>) h.h.d",
    "m.m2 + (bit<16>) h.h.c",
    "h.h.x - (bit<16>) h.n.v",
  ])("is refused where it is of a header that is sent: %s", (sum) =>
    expect(codesOf(`m.m1 = ${sum};`)).toEqual(["P44054"]),
  );

  it("is refused for 32 bits, and beside data of the entry", () => {
    expect(codesOf("m.w = h.h.a + (bit<32>) h.h.x;")).toEqual(["P44054"]);
    expect(codesOf("m.w = h.h.a - (bit<32>) h.n.t;")).toEqual(["P44054"]);
    const control = "action a1(bit<16> v) { h.h.y = (bit<16>) h.h.c + v; }";
    const table = "table t1 { key = { h.h.d : exact; } actions = { a1; NoAction; } size = 256; }";
    expect(codesOf("t1.apply();", control + table)).toEqual(["P44054"]);
  });

  it.each([
    "h.h.x + (bit<16>) m.f",
    "m.m2 + (bit<16>) m.f",
    "h.h.x + (bit<16>) h.g.c",
    // The operand goes through the hash matrix.
    "h.h.x + (bit<16>) h.n.v",
    "h.h.x ^ (bit<16>) h.h.c",
    // The compiler adds all 16 bits of y.
    "h.h.x + (bit<16>) h.h.y[7:0]",
  ])("is taken where it is of metadata, of a header that is not sent, or hashed, or a slice: %s", (sum) =>
    expect(codesOf(`m.m1 = ${sum};`)).toEqual([]),
  );
});

describe("containers of a sum", () => {
  /** What the verifier says of `m1 = SUM` once the slices of some containers are changed. */
  const said = (sum: string, change: (container: AllocatedContainer) => readonly AllocatedContainer[]) => {
    const result = fitTna(source("", `m.m1 = ${sum};`));
    const input = allocationInputOf(result);
    const allocation = result.phv.allocation!;
    expect(verifyPhv(input, allocation)).toEqual([]);
    const changed = { ...allocation, containers: allocation.containers.flatMap(change) };
    return verifyPhv(input, changed).flatMap(({ rule, detail }) => (rule === "arithmetic" ? [detail] : []));
  };
  const has = ({ slices }: AllocatedContainer, field: string) => slices.some((one) => one.field === field);
  const own = ({ slices }: AllocatedContainer, field: string) => slices.find((one) => one.field === field)!;
  /** `k` from where it is to a place beside a field. */
  const beside = (field: string, at: number) => (container: AllocatedContainer) => {
    const { slices } = container;
    const k = { field: "scalars.m.k", lo: 0, width: 8, at, live: { from: 0, to: 3 } } satisfies PlacedSlice;
    const rest = slices.filter((one) => one.field !== k.field);
    return [{ ...container, slices: has(container, field) ? [...rest, k] : rest }];
  };

  it("have nothing above the narrower operand", () => {
    const sum = "m.m2 + (bit<16>) m.f";
    expect(said(sum, beside("scalars.m.f", 8))).toEqual([
      expect.stringMatching(/m\.k stands above scalars\.m\.f in H\d+, and is added to scalars\.m\.m1/),
    ]);
  });

  it("have nothing above any operand of a sum that ends at the largest value", () => {
    const above = (container: AllocatedContainer) =>
      beside("scalars.m.m2", 16)(has(container, "scalars.m.m2") ? { ...container, size: 32 } : container);
    expect(said("m.m2 + m.m3", above)).toEqual([]);
    expect(said("m.m2 |+| m.m3", above)).toEqual([expect.stringMatching(/m\.k stands above scalars\.m\.m2/)]);
  });

  it("have the whole result, because no carry leaves one", () => {
    const parted = (container: AllocatedContainer): AllocatedContainer[] => {
      if (!has(container, "scalars.m.m1")) return [container];
      const whole = own(container, "scalars.m.m1");
      const low = { ...whole, width: 8 };
      const high = { ...whole, lo: 8, width: 8 };
      return [
        { ...container, slices: [low] },
        { ...container, index: container.index + 7, slices: [high] },
      ];
    };
    expect(said("h.h.x + h.h.y", parted)).toEqual([
      expect.stringMatching(/the carry of scalars\.m\.m1 does not pass from H\d+ to the next/),
    ]);
  });

  it("have nothing below two operands", () => {
    const up =
      (...fields: string[]) =>
      (container: AllocatedContainer): AllocatedContainer[] => {
        const moved = fields.find((field) => has(container, field));
        if (moved === undefined) return [container];
        const slices = container.slices.map((one) => ({ ...one, at: one.at + 8 }));
        const other = { field: "scalars.m.k", lo: 0, width: 8, at: 0, live: { from: 0, to: 3 } };
        return [{ ...container, slices: [...slices, other] }];
      };
    const [x, y] = ["scalars.m.m2", "scalars.m.m3"];
    expect(said("m.m2 + m.m3", up(x!, y!))).toEqual([expect.stringMatching(/m\.k and .*m\.k stand below/)]);
    expect(said("m.m2 + m.m3", up(x!))).toEqual([]);
  });
});
