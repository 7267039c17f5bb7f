/** Every program of test/bad/fit is refused on Tofino 1 with the code in its name, at a place, with an alternative. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../src/base/index.js";
import { fitProgram } from "../../src/fit/index.js";
import { compileText, loadTarget } from "./golden.js";
import { wrap } from "./programs.js";

const folder = join(import.meta.dirname, "../bad/fit");
const tofino = loadTarget("tofino");

describe("what Tofino lacks", () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith(".p4")))("%s", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const file = new SourceFile(name, text);
    const { program, error } = compileText(text, name);
    expect(error).toBeUndefined();
    const result = fitProgram(program!, tofino, { sources: (path) => (path === name ? file : undefined) });
    expect(result.verdict).toBe("refused");
    const errors = result.diagnostics.filter((d) => d.severity === "error");
    expect(errors.map((d) => d.code)).toContain(name.slice(0, 6));
    const [first] = errors.filter((d) => d.code === name.slice(0, 6));
    expect(first!.notes.length).toBeGreaterThan(0);
    // A limit of the whole program has no line.
    if (name.startsWith("P44024")) return;
    expect(first!.span?.file).toBe(file);
    expect(file.position(first!.span!.start).line).toBeGreaterThan(9);
  });

  it("is not held against programs that do it another way", () => {
    const fine = [
      "h.d.a = h.d.a * 8;",
      "h.d.a = h.d.a / 4;",
      "h.d.a = h.d.a << 3;",
      "h.d.a = h.d.a |+| h.d.b;",
      "if (h.d.a == h.d.b) { h.d.c = 1; }",
      "if (h.d.c > 255) { h.d.a = 1; }",
      "if (h.d.c[11:0] < 1000) { h.d.a = 1; }",
      "hash(h.d.c, HashAlgorithm.crc16, 16w0, { h.d.a }, 32w65536);",
      "random(h.d.c, 16w0, 16w255);",
      "bit<32> t = h.d.a; h.d.a = h.d.b; h.d.b = t;",
      "h.d.a = h.d.a & ~h.d.b;",
      "bool one = h.d.a == 1; if (one) { h.d.b = 1; }",
    ];
    for (const statement of fine) {
      const { program, error } = compileText(wrap("bit<32> a; bit<32> b; bit<16> c;", "", statement));
      expect([statement, error]).toEqual([statement, undefined]);
      expect([statement, fitProgram(program!, tofino).verdict]).toEqual([statement, "placed"]);
    }
  });

  it("swaps two fields in one stage, and takes a stage for each dependent statement", () => {
    const stages = (statement: string) =>
      fitProgram(compileText(wrap("bit<32> a; bit<32> b; bit<32> c;", "", statement)).program!, tofino)
        .stages;
    expect(stages("bit<32> t = h.d.a; h.d.a = h.d.b; h.d.b = t;")).toBe(1);
    expect(stages("h.d.a = h.d.a + 1; h.d.b = h.d.a + 1;")).toBe(2);
    expect(stages("h.d.a = h.d.a + 1; h.d.b = h.d.a + 1; h.d.c = h.d.b + h.d.a;")).toBe(3);
  });

  it("tests a named condition where it is used, and keeps its value when its field changes first", () => {
    const checked = (statement: string) =>
      fitProgram(compileText(wrap("bit<32> a; bit<32> b; bit<32> c;", "", statement)).program!, tofino);
    expect(checked("bool one = h.d.a == 1; if (one) { h.d.b = 1; }").stages).toBe(1);
    expect(checked("bool one = h.d.a == 1; h.d.a = h.d.c; if (one) { h.d.b = 1; }").verdict).toBe("refused");
    expect(
      fitProgram(
        compileText(wrap("bit<32> a; bit<8> b;", "", "h.d.b = (bit<8>) (bit<1>) (h.d.a == 1);")).program!,
        loadTarget("tofino2"),
      ).verdict,
    ).toBe("placed");
  });

  it("warns of an action whose steps need each other", () => {
    const action = "action go() { h.d.a = h.d.a + 1; h.d.b = h.d.a + 1; }";
    const { program } = compileText(wrap("bit<32> a; bit<32> b;", action, "go();"));
    const result = fitProgram(program!, tofino);
    expect(result.diagnostics.map((d) => [d.code, d.severity])).toEqual([["P44029", "warning"]]);
    expect([result.verdict, result.stages]).toEqual(["placed", 2]);
  });
});
