import { expect, it } from "vitest";
import { formatDiagnostic, printable, SourceFile } from "../../src/base/index.js";

it("shows control characters in place of obeying them", () => {
  expect(printable("a\tb\x1b[2J\r\n\x9b1m\x7f é 漢")).toBe("a\tb\\x1b[2J\\x0d\\x0a\\x9b1m\\x7f é 漢");
});

it("holds for diagnostics: messages, notes and excerpts, whose columns stay", () => {
  const file = new SourceFile("a\x1b.p4", "x \x1b[2J \ty\n");
  const span = { file, start: 8, end: 9 };
  const text = formatDiagnostic({
    severity: "error",
    code: "P40001",
    message: "the switch says \x1b]0;title\x07\nand more",
    span,
    notes: [{ message: "\x9bm" }],
  });
  expect(text.split("\n")).toEqual([
    "a\\x1b.p4:1:9: error[P40001]: the switch says \\x1b]0;title\\x07",
    "and more",
    "    x \ufffd[2J  y",
    "            ^",
    "note: \\x9bm",
  ]);
});
