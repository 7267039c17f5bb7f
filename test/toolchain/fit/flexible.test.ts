/** Headers with `@flexible`: the layout that the open compiler gives them, and the containers that follow. */
import { describe, expect, it } from "vitest";
import { fitTna } from "./tna-fit.js";

const source = (header: string) => `#include <core.p4>
#include <tna.p4>
${header}
header d_h { bit<32> a; bit<32> b; bit<16> c; bit<8> e; bit<8> f; }
struct headers_t { b_h br; d_h d; }
struct meta_t { }
struct no_meta_t { }
parser InParser(packet_in pkt, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t ig) {
    state start { pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); transition first; }
    state first { pkt.extract(hdr.d); transition accept; }
}
control In(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t ig,
           in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
           inout ingress_intrinsic_metadata_for_tm_t tm) {
    action a1(bit<1> o, bit<10> s) { hdr.br.one = o; hdr.br.ses = s; }
    action a2(bit<9> p, bit<3> q, bit<16> w) { hdr.br.port = p; hdr.br.q = q; hdr.br.w = w; hdr.br.v = hdr.d.e; }
    table t { key = { hdr.d.a : exact; } actions = { a1; } size = 100; }
    table u { key = { hdr.d.b : exact; } actions = { a2; } size = 100; }
    apply { tm.ucast_egress_port = ig.ingress_port; hdr.br.setValid(); hdr.br.kind = 1; t.apply(); u.apply(); }
}
control InDeparser(packet_out pkt, inout headers_t hdr, in meta_t md, in ingress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}
parser OutParser(packet_in pkt, out headers_t hdr, out no_meta_t md, out egress_intrinsic_metadata_t eg) {
    state start { pkt.extract(eg); pkt.extract(hdr.br); pkt.extract(hdr.d); transition accept; }
}
control Out(inout headers_t hdr, inout no_meta_t md, in egress_intrinsic_metadata_t eg,
            in egress_intrinsic_metadata_from_parser_t prsr, inout egress_intrinsic_metadata_for_deparser_t dprsr,
            inout egress_intrinsic_metadata_for_output_port_t port) {
    action b1(bit<8> v) { hdr.d.f = v; }
    table x { key = { hdr.br.one : exact; hdr.br.ses : exact; hdr.br.port: exact; hdr.br.q : exact; hdr.br.w : exact; hdr.br.v : exact; } actions = { b1; } size = 100; }
    apply { x.apply(); hdr.br.setInvalid(); } }
control OutDeparser(packet_out pkt, inout headers_t hdr, in no_meta_t md, in egress_intrinsic_metadata_for_deparser_t dprsr) {
    apply { pkt.emit(hdr); }
}
Pipeline(InParser(), In(), InDeparser(), OutParser(), Out(), OutDeparser()) pipe;
Switch(pipe) main;
`;

const layoutOf = (header: string) => {
  const { model } = fitTna(source(header));
  const type = model.program.header_types.find(({ name }) => name === "b_h");
  return type?.fields.map(([name, width]) => `${name} ${width}`);
};

const FIELDS = [
  ["bit<1>", "one"],
  ["bit<10>", "ses"],
  ["bit<9>", "port"],
  ["bit<3>", "q"],
  ["bit<16>", "w"],
  ["bit<8>", "v"],
];
const each = (annotation: string) => FIELDS.map(([type, name]) => `${annotation} ${type} ${name};`).join(" ");

describe("a header with flexible fields", () => {
  const packed = ["kind 8", "v 8", "w 16", "__pad_5 4", "q 3", "port 9", "__pad_2 5", "ses 10", "one 1"];

  it("is laid out as by the open compiler", () => {
    expect(layoutOf(`header b_h { bit<8> kind; ${each("@flexible")} }`)).toEqual(packed);
  });

  it("needs no padding of the program, and is flexible as a whole where the annotation stands before it", () => {
    expect(layoutOf(`header b_h { bit<8> kind; @padding bit<8> filler; ${each("@flexible")} }`)).toEqual(
      packed,
    );
    expect(layoutOf(`@flexible header b_h { bit<8> kind; ${each("")} }`)).toEqual([
      "v 8",
      "w 16",
      "kind 8",
      ...packed.slice(3),
    ]);
  });

  it("stays as it is where flexible fields have whole bytes, or no field is flexible", () => {
    const plain = (annotation: string) =>
      `header b_h { bit<8> kind; bit<1> one; bit<10> ses; bit<9> port; bit<3> q; bit<1> z; ${annotation} bit<16> w; ${annotation} bit<8> v; }`;
    const order = ["kind 8", "one 1", "ses 10", "port 9", "q 3", "z 1", "w 16", "v 8"];
    expect(layoutOf(plain("@flexible"))).toEqual(order);
    expect(layoutOf(plain(""))).toEqual(order);
  });

  it("has its values in whole bytes of containers, which the verifier accepts", () => {
    const { phv, verdict } = fitTna(source(`header b_h { bit<8> kind; ${each("@flexible")} }`));
    expect(verdict).toBe("placed");
    const homes = phv.allocation!.containers.filter(
      ({ gress, slices }) =>
        gress === "egress" && slices.some(({ field }) => field.endsWith(".ses") || field.endsWith(".port")),
    );
    const places = homes.flatMap(({ slices }) =>
      slices.map(({ field, at }) => `${field.split(".").at(-1)} ${at % 16}`),
    );
    expect(places).toEqual(expect.arrayContaining(["ses 1", "one 0", "port 0", "q 9"]));
  });
});
