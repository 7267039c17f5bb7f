/** Values of metadata that a field of a header which actions make stands for from the start. */
import { describe, expect, it } from "vitest";
import { fitTna } from "./tna-fit.js";

interface Parts {
  readonly statements?: string;
  readonly parse?: string;
  readonly pragma?: string;
  readonly first?: string;
  readonly apply?: string;
}

const source = ({
  statements = "h.b.stamp = pr.global_tstamp;",
  parse = "",
  pragma = "",
  first = "",
  apply = "",
}: Parts): string => `#include <core.p4>
#include <tna.p4>
header first_h { bit<16> x; bit<12> y; bit<4> z; }
header bridge_h { bit<48> stamp; bit<16> id; bit<12> low; bit<4> rest; }
struct headers_t { bridge_h b; first_h a; }
struct locals_t { bit<16> id; bit<12> low; }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); p.extract(h.a); ${parse} transition accept; } }
${pragma}
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  action set(bit<16> id) { m.id = id; }
  table t { key = { h.a.x : exact; } actions = { set; } size = 16; }
  action bridge() { h.b.setValid(); ${statements} }
  apply { tm.ucast_egress_port = 1; ${first} t.apply(); bridge(); ${apply} }
}
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h); } }
struct other_t { bridge_h b; }
parser EP(packet_in p, out headers_t h, out other_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); p.extract(m.b); p.extract(h.a); transition accept; } }
control E(inout headers_t h, inout other_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) {
  apply { if (m.b.id == 7) h.a.x = m.b.stamp[15:0]; } }
control ED(packet_out p, inout headers_t h, in other_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { p.emit(h); } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;

const aliases = (parts: Parts) =>
  [...fitTna(source(parts)).model.aliases].map((pair) => pair.map((name) => name.split(".").at(-1)));

describe("values that a made header takes over", () => {
  it("stand in the header from the start: no instruction moves them, and the bytes need no container of tables", () => {
    const { model, phv, verdict } = fitTna(source({}));
    expect(verdict).toBe("placed");
    expect([...model.aliases.values()].map((name) => name.split(".").at(-1))).toEqual(["stamp"]);
    const stamps = phv.allocation!.containers.filter(
      ({ gress, slices }) => gress === "ingress" && slices.some(({ field }) => /stamp/.test(field)),
    );
    expect(stamps.map(({ kind }) => kind)).not.toContain("normal");
    const operations = model.units.flatMap(({ actions }) => actions.flatMap((one) => one.operations));
    expect(operations.filter(({ write }) => write.field.endsWith("stamp"))).toEqual([]);
  });

  it("are written in the header by the tables that set them before", () => {
    const { model } = fitTna(source({ statements: "h.b.id = m.id;" }));
    const table = model.units.find(({ table: name }) => name?.endsWith("t") === true);
    expect(table?.actions[0]?.writes.map(({ field }) => field.split(".").slice(-1)[0])).toEqual(["id"]);
    expect(table?.actions[0]?.writes[0]?.field).toBe([...model.aliases.values()][0]);
  });

  it("keep their first zero, because the parser clears no header; other values of metadata lose it", () => {
    const zeros = (statements: string) => {
      const { units } = fitTna(
        source({ statements, first: "m.id = 0;", apply: "if (m.id == 3) h.a.x = 2;" }),
      ).model;
      const operations = units.flatMap(({ actions }) => actions.flatMap((one) => one.operations));
      return operations.flatMap(({ write, constant }) =>
        constant === 0n ? [write.field.split(".").at(-2)] : [],
      );
    };
    expect(zeros("h.b.id = m.id;")).toContain("b");
    expect(zeros("")).toEqual([]);
  });

  it("are no such where a later statement sets the value, or the field has a second write", () => {
    expect(aliases({ statements: "h.b.id = m.id;" })).toEqual([["id", "id"]]);
    expect(
      aliases({ statements: "h.b.id = m.id;", apply: "if (h.a.y == 1) m.id = h.a.x; h.a.x = m.id;" }),
    ).toEqual([]);
    expect(aliases({ statements: "h.b.id = m.id;", apply: "if (h.a.y == 1) h.b.id = 3;" })).toEqual([]);
  });

  it("are no such where another action makes the header valid, or its parser does", () => {
    expect(aliases({ statements: "", apply: "if (h.a.y == 1) h.b.id = m.id;" })).toEqual([]);
    expect(aliases({ parse: "h.b.setValid();" })).toEqual([]);
  });

  it("are such where the parser of the other thread extracts a header of that name", () => {
    const extracted = source({ statements: "h.b.id = m.id;" }).replace(
      "p.extract(m.b);",
      "p.extract(m.b); p.extract(h.b);",
    );
    expect([...fitTna(extracted).model.aliases.keys()].map((name) => name.split(".").at(-1))).toEqual(["id"]);
  });

  it("have a note of a pragma that names them", () => {
    const notes = (field: string) =>
      fitTna(
        source({ statements: "h.b.id = m.id;", pragma: `@pa_container_size("ingress", "${field}", 16)` }),
      ).diagnostics.flatMap(({ code, message }) => (code === "P44048" ? [message] : []));
    expect(notes("m.id")).toEqual([expect.stringContaining("scalars.m.id stands in h.b.id from the start")]);
    expect(notes("h.b.id")).toEqual([]);
  });

  it("are no such where the packet has the value at other bits of its bytes, or a pragma keeps a place of its own", () => {
    expect(aliases({ statements: "h.b.low = m.low;", parse: "m.low = h.a.y;" })).toEqual([["low", "low"]]);
    expect(aliases({ statements: "h.b.low = m.low;", parse: "m.low = h.a.x[11:0];" })).toEqual([]);
    expect(aliases({ statements: "h.b.id = m.id;", pragma: '@pa_no_overlay("ingress", "h.b.id")' })).toEqual(
      [],
    );
  });
});
