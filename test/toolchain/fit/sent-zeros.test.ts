/** Fields that a header which a program makes always sends as zeros: their bytes come from one container. */
import { describe, expect, it } from "vitest";
import { fitProgram } from "../../../src/toolchain/fit/index.js";
import type { PhvAllocation } from "../../../src/toolchain/fit/phv/allocation.js";
import { verifyPhv } from "../../../src/toolchain/fit/phv/verify.js";
import { compileText, loadTarget } from "./golden.js";
import { allocationInputOf, fitTna } from "./tna-fit.js";

interface Parts {
  /** What the parser extracts before the packet's header. */
  parse?: string;
  /** Of ingress, before and after the table. */
  locals?: string;
  after?: string;
  emit?: string;
  egress?: string;
}

/** A program that puts `made` before the packet; `statements` set its fields. */
const source = (
  statements: string,
  { parse = "", locals = "", after = "", emit = "p.emit(h);", egress = "" }: Parts = {},
): string => `#include <core.p4>
#include <tna.p4>
header first_h { bit<16> x; bit<16> y; }
header chain_h { bit<12> c0; bit<8> c1; bit<12> c2; }
header made_h { bit<16> id; bit<3> flags; bit<13> offset; bit<32> address; bit<4> low; bit<4> high; bit<8> ttl; }
struct headers_t { made_h made; chain_h chain; first_h a; }
struct locals_t { }
parser IP(packet_in p, out headers_t h, out locals_t m, out ingress_intrinsic_metadata_t ig) {
  state start { p.extract(ig); p.advance(PORT_METADATA_SIZE); ${parse} p.extract(h.a); transition accept; } }
control I(inout headers_t h, inout locals_t m, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr,
    inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  action make(bit<16> y) { h.made.setValid(); h.a.y = y; h.made.ttl = 64; h.made.address = 7; h.made.high = 3; ${statements} }
  table t { key = { h.a.x : exact; } actions = { make; } size = 16; }
  ${locals}
  apply { tm.ucast_egress_port = 1; t.apply(); ${after} }
}
control ID(packet_out p, inout headers_t h, in locals_t m, in ingress_intrinsic_metadata_for_deparser_t dp) { apply { ${emit} } }
parser EP(packet_in p, out headers_t h, out locals_t m, out egress_intrinsic_metadata_t eg) {
  state start { p.extract(eg); transition accept; } }
control E(inout headers_t h, inout locals_t m, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr,
    inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { ${egress} } }
control ED(packet_out p, inout headers_t h, in locals_t m, in egress_intrinsic_metadata_for_deparser_t dp) { apply { } }
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
`;

const fitOf = (statements: string, parts: Parts = {}) => fitTna(source(statements, parts));

const ZEROS = "h.made.id = 0; h.made.flags = 0; h.made.offset = 0;";

const zerosOf = (statements: string, parts: Parts = {}) =>
  [...fitOf(statements, parts).model.sentZeros.ingress].map((field) => field.split(".").at(-1)).sort();

describe("fields that are always sent as zeros", () => {
  it("have one container of eight bits for all their bytes, in which nothing else stands", () => {
    const { phv, verdict } = fitOf(ZEROS);
    expect(verdict).toBe("placed");
    const zeros = phv.allocation!.containers.filter(({ isZero }) => isZero === true);
    expect(zeros.map(({ kind, size, index, gress }) => [kind, size, index, gress])).toEqual([
      ["normal", 8, 0, "ingress"],
    ]);
    const parts = zeros[0]!.slices.map(({ field, lo, width, at }) => [
      field.split(".").at(-1),
      lo,
      width,
      at,
    ]);
    expect(parts).toEqual([
      ["id", 8, 8, 0],
      ["id", 0, 8, 0],
      ["flags", 0, 3, 5],
      ["offset", 8, 5, 0],
      ["offset", 0, 8, 0],
    ]);
    const others = phv.allocation!.containers.filter(({ isZero }) => isZero !== true);
    expect(others.some(({ slices }) => slices.some(({ field }) => /\.(id|flags|offset)$/.test(field)))).toBe(
      false,
    );
  });

  it("take no instruction and no dependency", () => {
    const writes = fitOf(ZEROS).model.units.flatMap(({ actions }) =>
      actions.flatMap((action) => action.writes.map(({ field }) => field.split(".").at(-1))),
    );
    expect(writes).toContain("ttl");
    expect(writes).not.toContain("id");
  });

  it("are none that another value, a read, the parser or a byte's other field speaks against", () => {
    expect(zerosOf(ZEROS)).toEqual(["flags", "id", "offset"]);
    expect(zerosOf(`${ZEROS} h.made.id = y;`)).toEqual(["flags", "offset"]);
    expect(zerosOf("h.made.id = 0; h.made.flags = 0; h.made.offset = 1;")).toEqual(["id"]);
    expect(zerosOf("h.made.id = 0; h.made.low = 0;")).toEqual(["id"]);
    expect(zerosOf("h.made.low = 0;")).toEqual([]);
    expect(zerosOf(ZEROS, { parse: "p.extract(h.made);" })).toEqual([]);
  });

  it("are none where a key, an action, an address, an ALU or a result of one has the field", () => {
    const others = ["flags", "offset"];
    const table = (key: string) =>
      `action no() { } table u { key = { ${key} : exact; } actions = { no; } size = 16; }`;
    expect(zerosOf(ZEROS, { locals: table("h.a.y"), after: "u.apply();" })).toEqual([
      "flags",
      "id",
      "offset",
    ]);
    expect(zerosOf(ZEROS, { locals: table("h.made.id"), after: "u.apply();" })).toEqual(others);
    expect(zerosOf(ZEROS, { after: "h.a.y = h.made.id;" })).toEqual(others);
    expect(zerosOf(ZEROS, { after: "if (h.made.id == 5) { h.a.y = 1; }" })).toEqual(others);
    const register = (body: string) => `Register<bit<16>, bit<16>>(16) r;
      RegisterAction<bit<16>, bit<16>, bit<16>>(r) ra = { void apply(inout bit<16> v, out bit<16> o) { ${body} } };`;
    const result = { locals: register("o = v; v = v + 1;"), after: "h.a.y = ra.execute(0);" };
    expect(zerosOf(ZEROS, result)).toEqual(["flags", "id", "offset"]);
    expect(zerosOf(ZEROS, { ...result, after: "h.made.id = ra.execute(0);" })).toEqual(others);
    expect(zerosOf(ZEROS, { ...result, after: "h.a.y = ra.execute(h.made.id);" })).toEqual(others);
    const operand = { locals: register("o = v; v = v + h.made.id;"), after: "h.a.y = ra.execute(0);" };
    expect(zerosOf(ZEROS, operand)).toEqual(others);
  });

  it("are of headers that the gress makes and sends, not of those that it leaves or of metadata", () => {
    expect(zerosOf(ZEROS, { emit: "p.emit(h.a);" })).toEqual([]);
    expect(zerosOf(ZEROS, { emit: "p.emit(h.made); p.emit(h.a);" })).toEqual(["flags", "id", "offset"]);
    // Egress has no such header, and what it reads of its own one does not count.
    expect([...fitOf(ZEROS).model.sentZeros.egress]).toEqual([]);
    expect(zerosOf(ZEROS, { egress: "if (h.made.id == 5) { dp.drop_ctl = 1; }" })).toEqual([
      "flags",
      "id",
      "offset",
    ]);
    // Nothing makes this one.
    expect(zerosOf("", { after: "h.chain.c0 = 0; h.chain.c1 = 0; h.chain.c2 = 0;" })).toEqual([]);
  });

  it("are none that some table or the architecture gives a value", () => {
    const others = ["flags", "offset"];
    expect(zerosOf(ZEROS, { after: "if (h.a.x == 1) { h.made.id = 7; }" })).toEqual(others);
    expect(zerosOf(ZEROS, { after: "if (h.a.x == 1) { h.made.id = h.a.y; }" })).toEqual(others);
    const locals = "Hash<bit<16>>(HashAlgorithm_t.CRC16) hash; Random<bit<16>>() random;";
    expect(zerosOf(ZEROS, { locals, after: "if (h.a.x == 1) { h.made.id = hash.get({h.a.y}); }" })).toEqual(
      others,
    );
    expect(zerosOf(ZEROS, { locals, after: "if (h.a.x == 1) { h.made.id = random.get(); }" })).toEqual(
      others,
    );
    expect(zerosOf(ZEROS, { after: "if (h.a.x == 1) { h.made.id = 0; }" })).toEqual([
      "flags",
      "id",
      "offset",
    ]);
  });

  it("are none of a program whose headers of egress the compiler makes", () => {
    const text = `#include <core.p4>
      #include <v1model.p4>
      header h_t { bit<16> a; bit<16> b; }
      struct hs { h_t first; h_t made; } struct ms {}
      parser P(packet_in p, out hs h, inout ms m, inout standard_metadata_t s) { state start { p.extract(h.first); transition accept; } }
      control C(inout hs h, inout ms m) { apply {} }
      control I(inout hs h, inout ms m, inout standard_metadata_t s) { apply { h.made.setValid(); h.made.a = 0; h.made.b = 1; s.egress_spec = 1; } }
      control E(inout hs h, inout ms m, inout standard_metadata_t s) { apply {} }
      control D(packet_out p, in hs h) { apply { p.emit(h); } }
      V1Switch(P(), C(), I(), E(), C(), D()) main;`;
    const { program } = compileText(text);
    const { model } = fitProgram(program!, loadTarget("tofino"));
    expect([...model.sentZeros.ingress, ...model.sentZeros.egress]).toEqual([]);
    expect(
      model.units.some(({ actions }) =>
        actions.some(({ writes }) => writes.some(({ field }) => field.endsWith("made.a"))),
      ),
    ).toBe(true);
  });

  it("are none from which a byte of another value reaches over fields between", () => {
    const after = "h.chain.setValid(); h.chain.c0 = 0; h.chain.c1 = 0;";
    expect(zerosOf("", { after: `${after} h.chain.c2 = 0;` })).toEqual(["c0", "c1", "c2"]);
    // The second byte of c2 is that of c1, whose other byte is that of c0.
    expect(zerosOf("", { after: `${after} h.chain.c2 = 5;` })).toEqual([]);
    expect(
      zerosOf("", { after: "h.chain.setValid(); h.chain.c0 = 5; h.chain.c1 = 0; h.chain.c2 = 0;" }),
    ).toEqual([]);
  });

  it("take no data of the action that sets them", () => {
    const { units, forDeparser } = fitOf(ZEROS).model;
    expect(forDeparser.size).toBeGreaterThan(0);
    const actions = units.flatMap((unit) => unit.actions);
    for (const name of ["id", "flags", "offset"])
      for (const { writes, operations, data } of actions)
        expect(
          [
            ...writes.map(({ field }) => field),
            ...operations.map(({ write }) => write.field),
            ...data.map(({ target }) => target?.field ?? ""),
          ].filter((field) => field.endsWith(`made.${name}`)),
        ).toEqual([]);
    const kept = actions.find(({ writes }) => writes.some(({ field }) => field.endsWith(".ttl")))!;
    expect(kept.data.some(({ target }) => target?.field.endsWith(".y"))).toBe(true);
  });

  it("are checked by the verifier", () => {
    const result = fitOf(ZEROS);
    const { model, phv } = result;
    const input = allocationInputOf(result);
    const allocation = phv.allocation!;
    expect(verifyPhv(input, allocation)).toEqual([]);
    const changed = (change: (slice: PhvAllocation["containers"][number]["slices"][number]) => object) => ({
      ...allocation,
      containers: allocation.containers.map((one) =>
        one.isZero === true
          ? { ...one, slices: one.slices.map((slice) => ({ ...slice, ...change(slice) })) }
          : one,
      ),
    });
    const touched = [...model.fields.keys()].find((field) => field.endsWith(".ttl"))!;
    const rules = (wrong: PhvAllocation) => verifyPhv(input, wrong).map(({ rule }) => rule);
    expect(rules(changed(({ field }) => (field.endsWith(".id") ? { field: touched } : {})))).toContain(
      "kind",
    );
    expect(rules(changed(({ field, at }) => (field.endsWith(".flags") ? { at: at - 1 } : {})))).toContain(
      "parser",
    );
  });
});
