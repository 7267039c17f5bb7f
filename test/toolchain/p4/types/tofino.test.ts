/** Programs for the Tofino architectures: what they need of the checker, and what older compilers took. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { analyse } from "../../../../src/toolchain/p4/index.js";
import { checkText } from "./checked.js";

/** Codes and lines of a program after `#include <tna.p4>` or t2na.p4 in its first line. */
function found(include: string, body: string, strict = false): string[] {
  return checkText(`#include <${include}>\n${body}`, "test.p4", { strict }).found;
}

/** A control of the ingress with declarations and statements. */
function ingress(declarations: string, statements = ""): string {
  return `struct H { } struct M { bit<16> a; bit<16> b; bit<32> c; }
control I(inout H hdr, inout M meta, in ingress_intrinsic_metadata_t intrinsic) {
${declarations}
apply { ${statements} } }`;
}

describe("the architectures' files", () => {
  it.each([
    ["tna.p4", undefined, "PortId_t p; QueueId_t q;", 5],
    ["tna.p4", "1", "PortId_t p; QueueId_t q;", 5],
    ["tna.p4", "2", "PortId_t p; QueueId_t q;", 7],
    ["t2na.p4", undefined, "PortId_t p; QueueId_t q;", 7],
    ["t2na.p4", "2", "PortId_t p; QueueId_t q;", 7],
  ])("%s for chip %s are free of errors, with the widths of the chip", (include, chip, fields, queueBits) => {
    const diagnostics = new Diagnostics();
    const defines: Record<string, string> = chip === undefined ? {} : { __TARGET_TOFINO__: chip };
    const text = `#include <${include}>\nstruct S { ${fields} }`;
    const { checked } = analyse(new SourceFile("a.p4", text), { defines }, diagnostics);
    expect(diagnostics.list).toEqual([]);
    const struct = checked.globals.get("S")![0]!;
    expect(struct.kind === "struct" && struct.fields.map(({ type }) => type)).toEqual([
      { kind: "bit", width: 9 },
      { kind: "bit", width: queueBits },
    ]);
  });

  it.each([
    ["tna.p4", "3"],
    ["t2na.p4", "1"],
  ])("%s refuses chip %s", (include, chip) => {
    const diagnostics = new Diagnostics();
    const file = new SourceFile("a.p4", `#include <${include}>`);
    analyse(file, { defines: { __TARGET_TOFINO__: chip } }, diagnostics);
    expect(diagnostics.list.some(({ code }) => code === "P40112")).toBe(true);
  });

  it("give intrinsic metadata whole bytes, as the chips send them", () => {
    const bits = (include: string, header: string) => {
      const diagnostics = new Diagnostics();
      const { checked } = analyse(new SourceFile("a.p4", `#include <${include}>`), {}, diagnostics);
      const declaration = checked.globals.get(header)![0]!;
      if (declaration.kind !== "header") throw new Error(`${header} is no header`);
      return declaration.fields.reduce((sum, { type }) => sum + (type?.kind === "bit" ? type.width : NaN), 0);
    };
    expect(bits("tna.p4", "ingress_intrinsic_metadata_t")).toBe(64);
    expect(bits("t2na.p4", "ingress_intrinsic_metadata_t")).toBe(64);
    expect(bits("tna.p4", "egress_intrinsic_metadata_t")).toBe(216);
    expect(bits("t2na.p4", "egress_intrinsic_metadata_t")).toBe(224);
    for (const trigger of ["timer", "port_down", "recirc"])
      expect(bits("tna.p4", `pktgen_${trigger}_header_t`), trigger).toBe(48);
  });
});

describe("register actions", () => {
  const register = "Register<bit<16>, bit<16>>(64) cells;";

  it("read what is declared around them, and may leave out optional results", () => {
    const body = `${register}
      bit<16> local = 0;
      RegisterAction<bit<16>, bit<16>, bit<16>>(cells) add = {
        void apply(inout bit<16> value, out bit<16> old) { old = value; value = value |+| meta.a + local; }
      };
      RegisterAction<bit<16>, bit<16>, bit<16>>(cells) clear = { void apply(inout bit<16> value) { value = 0; } };`;
    expect(found("tna.p4", ingress(body, "meta.b = add.execute(meta.a); clear.execute(0);"))).toEqual([]);
    expect(found("t2na.p4", ingress(body, "meta.b = add.execute(meta.a); clear.execute(0);"))).toEqual([]);
  });

  it.each([
    ["void apply(out bit<16> value) { value = 0; }", "P40329:4"],
    ["void apply(inout bit<16> value, out bit<16> a, out bit<16> b) { a = 0; b = 0; }", "P40329:4"],
    ["void apply() { }", "P40329:4"],
    ["void apply(inout bit<8> value) { }", "P40329:4"],
  ])("must agree with the abstract method: %s", (method, error) => {
    const body = `${register} RegisterAction<bit<16>, bit<16>, bit<16>>(cells) a = { ${method} };`;
    expect(found("tna.p4", ingress(body))).toEqual([error]);
  });

  it("take results of four types on the second generation, and what happens on overflow or not", () => {
    const body = `${register}
      RegisterAction2<bit<16>, bit<16>, bit<16>, bit<32>>(cells) two = {
        void apply(inout bit<16> value, out bit<16> a, out bit<32> b) { a = value; b = this.address<bit<32>>(); }
        void overflow(inout bit<16> value, out bit<16> a, out bit<32> b) { a = 1; b = 2; }
      };`;
    expect(found("t2na.p4", ingress(body, "meta.b = two.execute(meta.a, meta.c);"))).toEqual([]);
    expect(found("tna.p4", ingress(body)).some((each) => each.startsWith("P40301"))).toBe(true);
  });
});

describe("what older compilers took", () => {
  const open = ingress(
    "Register<bit<16>, _>(64) cells;",
    "meta.b = cells.read(0);\nmeta.b = cells.read(meta.a);",
  );

  it("an index type left open is accepted with one note an object, and refused strictly at each use", () => {
    expect(found("tna.p4", open)).toEqual(["P40614:5"]);
    expect(found("tna.p4", open, true)).toEqual(["P40311:5", "P40311:6"]);
  });

  it("the note names the type to write", () => {
    const use = (index: string) =>
      ingress("Register<bit<16>, _>(64) cells;", `meta.b = cells.read(${index});`);
    const noteOf = (index: string) => {
      const [note] = checkText(`#include <tna.p4>\n${use(index)}`).diagnostics.list;
      return [note?.severity, note?.notes[0]?.message];
    };
    const cure = "write the type in place of _ where the object is declared, here";
    expect(noteOf("0")).toEqual(["info", `${cure} bit<32>`]);
    expect(noteOf("meta.a")).toEqual(["info", `${cure} bit<16>`]);
  });

  it.each([
    ["meta.a, MeterColor_t.RED", ["P40620:5"], ["P40335:5"]],
    ["meta.a, 32w4", ["P40620:5"], ["P40335:5"]],
    ["meta.a, 4", ["P40620:5"], ["P40335:5"]],
    ["meta.a", [], []],
    ["index = meta.a, color = MeterColor_t.RED", [], []],
    ["index = meta.a, adjust_byte_count = 4", [], []],
    ["meta.a, MeterColor_t.RED, 4", [], []],
    ["meta.a, 8w4", ["P40335:5"], ["P40335:5"]],
  ])("meter.execute(%s): the types choose among the overloads", (args, lenient, strict) => {
    const text = ingress(
      "Meter<bit<16>>(64, MeterType_t.BYTES) meter; bit<8> c;",
      `c = meter.execute(${args});`,
    );
    expect(found("tna.p4", text)).toEqual(lenient);
    expect(found("tna.p4", text, true)).toEqual(strict);
  });

  it("nested calls of overloads are looked at in less than exponential time", () => {
    const call = (depth: number): string => (depth === 0 ? "0" : `m.execute(${call(depth - 1)}, 4)`);
    const body = ingress("Meter<bit<8>>(64, MeterType_t.BYTES) m; bit<8> c;", `c = ${call(40)};`);
    expect(new Set(found("tna.p4", body).map((each) => each.split(":")[0]))).toEqual(new Set(["P40620"]));
  });

  it("a register that only register actions use has no such place", () => {
    const body = `Register<bit<16>, _>(64) cells;
      RegisterAction<bit<16>, bit<16>, bit<16>>(cells) a = { void apply(inout bit<16> value) { } };`;
    expect(found("tna.p4", ingress(body, "a.execute(meta.a);"), true)).toEqual([]);
  });
});
