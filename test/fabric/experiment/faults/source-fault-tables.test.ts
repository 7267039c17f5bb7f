/** Fault tables in P4 source that a user wrote: the text that is inserted, where, and that it compiles and drops. */
import { describe, expect, it } from "vitest";
import { DiagnosticError, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { sourceWithFaultTables } from "../../../../src/fabric/experiment/faults/source-fault-tables.js";

const textWith = (text: string, tables = 1) => sourceWithFaultTables(new SourceFile("own.p4", text), tables);

/** A program whose egress control is this text; `main` may be written in another way. */
const program = (egress: string, main = "V1Switch(P(), V(), I(), Out(), C(), D()) main;") =>
  `#include <v1model.p4>\ncontrol I(inout h_t h, inout m_t m, inout standard_metadata_t sm) { apply { sm.egress_spec = 1; } }\n${egress}\n${main}\n`;

const EGRESS = `control Out(inout h_t h, inout m_t m, inout standard_metadata_t std) {
    action a() { }
    apply {
        a();
    }
}`;

/** What was inserted before `apply`, and what at the beginning of its body. */
function inserted(text: string, tables = 1): [declarations: string, statements: string] {
  const made = textWith(text, tables);
  const at = made.indexOf('@name(".FabricEgress.lose")');
  const apply = made.indexOf("apply {", made.indexOf("size = 1024;", at));
  const body = apply + "apply {".length;
  const declarations = made.slice(at, apply).trimEnd();
  const last = `mark_to_drop(`;
  const end = made.lastIndexOf(last);
  const statements = made.slice(body, made.indexOf("        }\n", end) + 10);
  return [declarations, statements];
}

describe("fault tables in a user's source", () => {
  it("are none for none: the text stays as it is", () => {
    expect(textWith("no program", 0)).toBe("no program");
  });

  it("stand before the apply of the egress control, and are applied first; nothing else changes", () => {
    const text = program(EGRESS);
    const made = textWith(text);
    const [declarations, statements] = inserted(text);
    const without = made.replace(`${declarations}\n    `, "").replace(`\n${statements.trimStart()}`, "");
    expect(made.indexOf(declarations)).toBeGreaterThan(made.indexOf("control Out"));
    expect(declarations).toContain("mark_to_drop(std);");
    expect(declarations).toContain('@name(".FabricEgress.faults") table p4loom_faults_0 {');
    for (const field of ["ingress_port : ternary", "egress_port : ternary", "packet_length : range"])
      expect(declarations).toContain(`std.${field} @name("standard_metadata.${field.split(" ")[0]}");`);
    expect(statements).toMatch(
      /^\s+p4loom_below = 0;\s+p4loom_faults_0\.apply\(\);\s+if \(p4loom_below != 0\) \{\s+random\(p4loom_draw, 0, 0xffffffff\);\s+if \(\(bit<33>\)p4loom_draw < p4loom_below\) \{\s+mark_to_drop\(std\);/,
    );
    expect(without.replaceAll(/\s+/g, " ")).toContain("action a() { }");
    expect(made.startsWith(text.slice(0, text.indexOf("apply {\n        a();")))).toBe(true);
    expect(made.endsWith(text.slice(text.indexOf("\n        a();")))).toBe(true);
  });

  it("are as many as are asked for, each with a name and a draw of its own", () => {
    const made = textWith(program(EGRESS), 3);
    for (const index of [0, 1, 2]) {
      expect(made.split(`table p4loom_faults_${index} {`)).toHaveLength(2);
      expect(made.split(`p4loom_faults_${index}.apply();`)).toHaveLength(2);
    }
    expect(made.split("action p4loom_lose()")).toHaveLength(2);
    expect(made.split("p4loom_below = 0;")).toHaveLength(4);
  });

  it.each([
    [
      "comments, strings and other blocks",
      EGRESS.replace(
        "action a() { }",
        '@name("}") action a() { { } } // apply {\n    /* } apply { */ table t { key = { } actions = { a; } }',
      ),
    ],
    [
      "a name that ends like the word",
      EGRESS.replace("action a() { }", "action reapply() { }\n    action a() { reapply(); }"),
    ],
    ["everything on one line", EGRESS.replaceAll(/\s+/g, " ")],
    ["wide spaces", EGRESS.replace("standard_metadata_t std", "standard_metadata_t \t std")],
  ])("are found past %s", (_, egress) => {
    const made = textWith(program(egress));
    const at = made.indexOf("p4loom_below = 0;");
    expect(made.slice(0, at).trimEnd().endsWith("apply {")).toBe(true);
    expect(made.slice(at).replaceAll(/\s+/g, " ")).toMatch(/\} \} a\(\); \} \} V1Switch/);
  });

  it.each([
    "V1Switch(P(), V(), I(), Out(), C(), D()) main;",
    "V1Switch<h_t, m_t>(P(), V(), I(), Out(), C(), D()) main;",
    "V1Switch(P (), V (), I (), Out (), C (), D ()) main;",
    "V1Switch ( P( ) ,\n V( ),\n I( ) , Out( ), C(), D() )\n main ;",
  ])("are found by main: %s", (main) => {
    expect(textWith(program(EGRESS, main))).toContain("p4loom_faults_0.apply();");
  });

  it.each([
    ["without main", program(EGRESS, "")],
    ["with a main of another architecture", program(EGRESS, "Other(P(), V(), I(), Out()) main;")],
    ["whose egress control is elsewhere", program('// control Out\n#include "out.p4"')],
    [
      "whose egress control has no apply",
      program("control Out(inout standard_metadata_t std) { action apply_() { } }"),
    ],
    ["whose egress control has no standard metadata", program("control Out(inout h_t h) { apply { } }")],
    ["with too few arguments", program(EGRESS, "V1Switch(P(), V(), I()) main;")],
  ])("are refused for a program %s", (_, text) => {
    try {
      textWith(text);
    } catch (error) {
      expect(error).toBeInstanceOf(DiagnosticError);
      expect(formatDiagnostic((error as DiagnosticError).diagnostics[0]!)).toMatch(
        /own\.p4:1:1: error\[P43018\]: faults on real switches need the egress control of V1Switch in this file/,
      );
      return;
    }
    throw new Error("the program was to be refused");
  });
});
