/** The containers of the bits that tell the deparser of a Tofino 2 what to send: two tables that write one of them need two stages. */
import { describe, expect, it } from "vitest";
import { validityContainers } from "../../../src/toolchain/fit/phv/validity.js";
import { loadTarget } from "./golden.js";
import { fitTna } from "./tna-fit.js";

const tofino2 = loadTarget("tofino2");

/** `count` headers beside the first one, which the parser extracts in the reverse of the order in which they are declared. */
const source = (count: number, apply: string): string => {
  const names = Array.from({ length: count }, (_, i) => `n${i}`);
  return `#include <core.p4>
#include <t2na.p4>
header first_h { bit<8> kind; bit<8> x; bit<8> y; }
header other_h { bit<32> z; }
struct headers_t { ${[...names]
    .reverse()
    .map((name) => `other_h ${name};`)
    .join(" ")} first_h a; }
struct none_t { }
parser IP(packet_in p, out headers_t h, out none_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); p.extract(h.a);
    transition select(h.a.kind) { ${names.map((name, i) => `${i}: ${name};`).join(" ")} default: accept; } }
  ${names.map((name) => `state ${name} { p.extract(h.${name}); transition accept; }`).join("\n  ")}
}
control I(inout headers_t h, inout none_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  apply { ${apply} }
}
control ID(packet_out p, inout headers_t h, in none_t m, in ingress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h); } }
parser EP(packet_in p, out none_t h, out none_t m, out egress_intrinsic_metadata_t eg) { state start { p.extract(eg); transition accept; } }
control E(inout none_t h, inout none_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { } }
control ED(packet_out p, inout none_t h, in none_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;
};

const fitOf = (count: number, apply: string) => fitTna(source(count, apply), tofino2);

const drops = (one: string, other: string): string =>
  `if (h.a.x == 1) { h.${one}.setInvalid(); } if (h.a.y == 1) { h.${other}.setInvalid(); }`;

/** Bits of ingress with `count` other headers: the kind of mirror, the first header, and they. */
const bitsOf = (count: number): number => 2 + count;

describe("bits of validity of a Tofino 2", () => {
  it.each([
    [14, [16]],
    [15, [16, 1]],
    [22, [16, 8]],
    [23, [25]],
    [30, [32]],
    [31, [32, 1]],
  ])("of %i headers and two more bits have containers with %j of them", (count, expected) => {
    const { model } = fitOf(count, drops("n0", "n1"));
    const containers = [...validityContainers(model, "ingress", tofino2)];
    const sizes = [...new Set(containers.map(([, at]) => at))].map(
      (at) => containers.filter(([, other]) => other === at).length,
    );
    expect(sizes).toEqual(expected);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bitsOf(count));
  });

  it("have the order of the parser", () => {
    const names = [...validityContainers(fitOf(15, drops("n0", "n1")).model, "ingress", tofino2).keys()];
    expect(names.slice(1)).toEqual([
      "h.a.$valid$",
      ...Array.from({ length: 15 }, (_, i) => `h.n${i}.$valid$`),
    ]);
  });

  it("are written by two tables of one stage only in two containers", () => {
    expect(fitOf(20, drops("n0", "n19")).stages).toBe(1);
    expect(fitOf(20, drops("n0", "n1")).stages).toBe(2);
    expect(fitOf(24, drops("n0", "n19")).stages).toBe(2);
  });
});
