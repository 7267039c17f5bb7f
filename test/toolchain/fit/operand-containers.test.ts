/** Containers of what sums and logic take from headers and give to values of metadata, on Tofino 1. */
import { describe, expect, it } from "vitest";
import { useOf } from "../../../src/toolchain/fit/phv/gress-use.js";
import { fitTna } from "./tna-fit.js";

interface Parts {
  readonly headers?: string;
  readonly locals?: string;
  readonly parse?: string;
  readonly control: string;
  readonly apply: string;
}

const source = ({
  headers = "",
  locals = "",
  parse = "",
  control,
  apply,
}: Parts): string => `#include <core.p4>
#include <tna.p4>
header first_h { bit<16> x; bit<16> y; bit<16> id; bit<3> flags; bit<13> rest; }
header second_h { bit<16> p; bit<16> q; }
header third_h { bit<32> z; }
header made_h { @padding bit<6> pad; bit<10> v; bit<16> w; }
struct headers_t { ${headers} first_h a; second_h b; }
struct locals_t { made_h made; bit<16> d; bit<16> e; bit<16> f; ${locals} }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); p.extract(h.a); p.extract(h.b); ${parse} transition accept; } }
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  ${control}
  apply { tm.ucast_egress_port = 1; ${apply} }
}
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) {
  apply { p.emit(m.made); p.emit(h); } }
struct other_t { }
parser EP(packet_in p, out headers_t h, out other_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); transition accept; } }
control E(inout headers_t h, inout other_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { } }
control ED(packet_out p, inout headers_t h, in other_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;

/** Where the fields of ingress stand: `size@bit` of each part, by the field's own name. */
function placesOf(parts: Parts): ReadonlyMap<string, readonly string[]> {
  const { phv, verdict } = fitTna(source(parts));
  expect(verdict).toBe("placed");
  const places = new Map<string, string[]>();
  for (const { gress, kind, size, slices } of phv.allocation!.containers)
    for (const { field, at } of gress === "ingress" && kind === "normal" ? slices : []) {
      const name = field.split(".").slice(-1)[0]!;
      places.set(name, [...(places.get(name) ?? []), `${size}@${at}`]);
    }
  return places;
}

const SUM = {
  control:
    "action sum() { m.d = h.a.x + m.e; } action hit(bit<16> v) { tm.mcast_grp_a = v; m.e = v; }" +
    "table t { key = { h.a.y : exact; } actions = { hit; } size = 16; } table u { key = { m.d : exact; } actions = { hit; } size = 16; }",
  apply: "t.apply(); sum(); u.apply();",
};

describe("containers of operands", () => {
  it("are as large as those of the header, at the same bits, rather than that its bytes are parted", () => {
    const places = placesOf(SUM);
    expect(places.get("x")).toEqual(["32@16"]);
    expect(places.get("y")).toEqual(["32@0"]);
    expect(places.get("d")).toEqual(["32@16"]);
    expect(places.get("e")).toEqual(["32@16"]);
  });

  it("stay small where the header is written by logic of a part, which would write the bytes beside", () => {
    const places = placesOf({
      control:
        "action mix() { h.b.p = h.b.p ^ m.d; } action set(bit<16> v) { m.d = v; }" +
        "table t { key = { h.b.q : exact; } actions = { set; } size = 16; }",
      apply: "t.apply(); mix();",
    });
    expect(places.get("p")).toEqual(["16@0"]);
    expect(places.get("q")).toEqual(["16@0"]);
  });

  it("may change padding that nothing sets, but keep what the parser sets beside the result", () => {
    const verdictWith = (parse: string) =>
      fitTna(
        source({
          locals: "bit<10> g;",
          parse: `m.made.setValid(); ${parse}`,
          control:
            "action mix() { m.made.v = h.a.rest[9:0] ^ m.g; } action set(bit<10> v) { m.g = v; }" +
            "table t { key = { h.b.q : exact; } actions = { set; } size = 16; }",
          apply: "t.apply(); mix();",
        }),
      );
    expect(verdictWith("").verdict).toBe("placed");
    const kept = verdictWith("m.made.pad = 5;");
    expect(kept.verdict).toBe("fits by counts");
    expect(kept.exceeded).toEqual([expect.stringMatching(/has 3 sources$/)]);
  });

  it("of a sum that ends at the largest value hold nothing else", () => {
    const alone = (sum: string): string[] => {
      const control = `action sum() { m.d = ${sum}; } action set(bit<16> v) { m.e = v; m.f = v; h.b.q = m.d; }
        table t { key = { h.b.p : exact; } actions = { set; } size = 16; }`;
      const { model, target } = fitTna(source({ control, apply: "sum(); t.apply(); sum();" }));
      return [...useOf(model, target, "ingress").alone].map((field) => field.split(".").slice(-1)[0]!);
    };
    expect(alone("m.e + m.f")).not.toContain("e");
    expect(alone("m.e |+| m.f")).toEqual(expect.arrayContaining(["d", "e", "f"]));
  });
});

describe("fields that a condition tests for being equal", () => {
  it("stand at the same bits of containers of one size, so that bytes of a header are parted between them", () => {
    const places = placesOf({
      control: "action hit() { tm.mcast_grp_a = 7; }",
      apply: "if (h.b.p == h.b.q) hit(); if (m.d == h.a.x && h.a.y == 1) hit();",
      parse: "m.d = h.a.id;",
    });
    expect(places.get("p")).toEqual(["16@0"]);
    expect(places.get("q")).toEqual(["16@0"]);
    expect(places.get("d")).toEqual(places.get("x"));
  });

  it("is parted no further than its two sides, and not where the program asks for a size", () => {
    const control = "action hit() { tm.mcast_grp_a = 7; }";
    const apply = "if (h.c.z[15:0] == h.c.z[31:16]) hit();";
    const headers = "third_h c;";
    const parse = "p.extract(h.c);";
    expect(placesOf({ headers, parse, control, apply }).get("z")).toEqual(["16@0", "16@0"]);
    const asked = '@pa_container_size("ingress", "h.c.z", 32)';
    const { phv } = fitTna(
      source({ headers, parse, control, apply }).replace("header third_h", `${asked} header third_h`),
    );
    const sizes = phv.allocation!.containers.filter(({ slices }) =>
      slices.some(({ field }) => field.endsWith(".z")),
    );
    expect(sizes.map(({ size }) => size)).toEqual([32]);
  });
});

describe("bytes of headers", () => {
  it("of a header that the parser makes valid are sent whole, with a bit of validity", () => {
    const parts: Parts = {
      parse: "m.made.setValid();",
      control:
        "action set(bit<10> v) { m.made.v = v; } table t { key = { h.a.x : exact; } actions = { set; } size = 16; }",
      apply: "t.apply();",
    };
    const { phv } = fitTna(source(parts));
    const fields = phv
      .allocation!.containers.filter(({ gress }) => gress === "ingress")
      .flatMap(({ slices }) => slices.map(({ field }) => field.split(".").slice(-2).join(".")));
    expect(fields).toEqual(expect.arrayContaining(["made.pad", "made.v", "made.w", "made.$valid$"]));
  });

  it("are cut where a value ends before they are cut inside one", () => {
    const places = placesOf({
      control:
        "action set(bit<16> id, bit<3> flags) { h.a.id = id; h.a.flags = flags; }" +
        "table t { key = { h.b.p : exact; } actions = { set; } size = 16; }",
      apply: "t.apply();",
    });
    expect(places.get("id")).toEqual(["16@0"]);
    expect(places.get("flags")).toEqual(["8@5"]);
  });
});
