/**
 * What the formatter makes of programs whose layout is lost: each program on one line, with each token on a line of its own, and with
 * deep indentation. The results are in test/golden/formatting (`make golden`); a second time changes nothing.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { elementsOf, format } from "../../../src/toolchain/formatting/index.js";

const golden = resolve(import.meta.dirname, "../../golden");

const PROGRAMS = [
  "syntax/everything.p4",
  "formatting/corners.txt",
  ...["annotations", "externs", "flow", "instances", "parser", "tables", "values"].map(
    (name) => `constructs/${name}.p4`,
  ),
];

/** What separates two elements: those that touch may be one operator, and a line that `ends` must end. */
interface Gap {
  readonly touches: boolean;
  readonly ends: boolean;
  readonly newlines: number;
}

const LAYOUTS: Record<string, (gap: Gap) => string> = {
  flat: ({ touches, ends }) => (ends ? "\n" : touches ? "" : " "),
  narrow: ({ touches }) => (touches ? "" : "\n"),
  indented: ({ touches, ends, newlines }) =>
    ends || newlines > 0 ? `\n${"\t".repeat(12)}` : touches ? "" : "  ",
};

/** The text with other white space. The lines of directives, comments and pragmas end where they did. */
function laidOut(text: string, gapOf: (gap: Gap) => string): string {
  const elements = elementsOf(new SourceFile("t.p4", text), new Diagnostics());
  let inPragma = false;
  let result = "";
  for (const [i, { kind, text: own }] of elements.entries()) {
    const next = elements[i + 1];
    const newlines = next?.newlines ?? 0;
    if (own === "pragma" && elements[i - 1]!.token === "@") inPragma = true;
    const touches = next?.gap === 0 && newlines === 0;
    const ends =
      kind === "directive" ||
      kind === "lineComment" ||
      next?.kind === "directive" ||
      (inPragma && newlines > 0);
    result +=
      own + (inPragma && newlines === 0 ? " ".repeat(touches ? 0 : 1) : gapOf({ touches, ends, newlines }));
    if (ends) inPragma = false;
  }
  return result;
}

function formatted(path: string, text: string): string {
  const diagnostics = new Diagnostics();
  const result = format(new SourceFile(path, text), diagnostics);
  if (result === undefined) throw new Error(diagnostics.list[0]!.message);
  return result;
}

describe.each(PROGRAMS)("%s", (program) => {
  const text = readFileSync(join(golden, program), "utf8");

  it.each(Object.entries(LAYOUTS))("%s", async (layout, gapOf) => {
    const once = formatted(program, laidOut(text, gapOf));
    expect(formatted(program, once)).toBe(once);
    const name = program.replace(/^.*\//, "").replace(/\.(p4|txt)$/, "");
    await expect(once).toMatchFileSnapshot(join(golden, "formatting", `${name}.${layout}.txt`));
  });
});
