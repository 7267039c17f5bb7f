import { describe, expect, it } from "vitest";
import {
  DiagnosticError,
  Diagnostics,
  diagnosticToJson,
  fail,
  formatDiagnostic,
  formatTable,
  joinSpans,
  SourceFile,
  spanText,
} from "../../src/base/index.js";

const file = new SourceFile("a.p4", "header h {\n\tbit<8> x\n}\r\nend");
const span = { file, start: 12, end: 18 };

describe("diagnostics", () => {
  it("counts lines and columns from 1", () => {
    expect(file.position(0)).toEqual({ line: 1, column: 1 });
    expect(file.position(12)).toEqual({ line: 2, column: 2 });
    expect(file.position(file.text.length)).toEqual({ line: 4, column: 4 });
    expect([1, 2, 3, 4, 5].map((line) => file.lineText(line))).toEqual([
      "header h {",
      "\tbit<8> x",
      "}",
      "end",
      "",
    ]);
  });

  it("joins spans of one file and cuts out their text", () => {
    expect(spanText(joinSpans({ file, start: 12, end: 15 }, { file, start: 16, end: 20 }))).toBe("bit<8> x");
    const other = { file: new SourceFile("b.p4", "x"), start: 0, end: 1 };
    expect(joinSpans(span, other)).toBe(span);
  });

  it("prints place, line, caret and notes", () => {
    const diagnostics = new Diagnostics();
    diagnostics.error("P40201", span, "expected ';'", "fields end with a semicolon", {
      message: "in this header",
      span: { file, start: 7, end: 8 },
    });
    expect(formatDiagnostic(diagnostics.list[0]!)).toBe(
      [
        "a.p4:2:2: error[P40201]: expected ';'",
        "     bit<8> x",
        "     ^^^^^^",
        "note: fields end with a semicolon",
        "a.p4:1:8: note: in this header",
        "    header h {",
        "           ^",
      ].join("\n"),
    );
    expect(diagnosticToJson(diagnostics.list[0]!)).toMatchObject({
      code: "P40201",
      file: "a.p4",
      start: { line: 2, column: 2 },
      notes: [{ message: "fields end with a semicolon" }, { start: { line: 1, column: 8 } }],
    });
  });

  it("keeps the first errors of a flood and still counts the rest", () => {
    const diagnostics = new Diagnostics(2);
    for (let i = 0; i < 5; i++) diagnostics.error("P40201", undefined, `e${i}`);
    diagnostics.warning("P40601", undefined, "w");
    expect(diagnostics.list.map((d) => d.message)).toEqual(["e0", "e1", "w"]);
    expect(diagnostics.errorCount).toBe(5);
    expect(() => diagnostics.throwIfErrors()).toThrow(DiagnosticError);
  });

  it("fails with one located error", () => {
    expect(() => fail("P40001", span, "cannot read x")).toThrow("a.p4:2:2: error[P40001]: cannot read x");
  });
});

describe("formatTable", () => {
  it("sets numbers right and words left", () => {
    expect(
      formatTable(
        ["scheme", "p50_ms"],
        [
          ["pecmp", 6],
          ["prr", 42.5],
          ["none", null],
        ],
      ),
    ).toBe(
      ["scheme  p50_ms", "------  ------", "pecmp        6", "prr       42.5", "none         -"].join("\n"),
    );
  });
});
