/** Parses and checks text for the tests of this room. */
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { standardLibrary } from "../../../../src/toolchain/p4/stdlib/index.js";
import { parse } from "../../../../src/toolchain/p4/syntax/index.js";
import { type CheckedProgram, type CheckOptions, check } from "../../../../src/toolchain/p4/types/index.js";

export interface Checked {
  program: CheckedProgram;
  diagnostics: Diagnostics;
  /** `P40305:12`: code and line of each message, in order. */
  found: string[];
}

export function checkText(text: string, path = "test.p4", options: CheckOptions = {}): Checked {
  const diagnostics = new Diagnostics();
  const resolveInclude = (name: string) => standardLibrary(name);
  const unit = parse({ file: new SourceFile(path, text), resolveInclude }, diagnostics);
  const program = check(unit, diagnostics, options);
  const found = diagnostics.list.map(
    ({ code, span }) => `${code}:${span === undefined ? 0 : span.file.position(span.start).line}`,
  );
  return { program, diagnostics, found };
}

/** Checks statements in a control with `bit<8> x, y` and `bit<16> w` at hand; returns codes and lines of 1-based lines of `body`. */
export function checkBody(body: string, declarations = ""): string[] {
  const head = `${declarations.replaceAll("\n", " ")} control C(inout bit<8> x, inout bit<8> y, inout bit<16> w) { apply {`;
  return checkText(`#include <core.p4>\n${head}\n${body}\n} }\n`).found.map((text) => {
    const [code, line] = text.split(":");
    return `${code}:${Number(line) - 2}`;
  });
}
