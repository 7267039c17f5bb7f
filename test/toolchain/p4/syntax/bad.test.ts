/**
 * The wrong programs of test/bad/syntax: each is found, with the code of its name first, and all messages are those
 * of test/golden/syntax/messages.txt (`npm run golden` renews them).
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { parse } from "../../../../src/toolchain/p4/syntax/index.js";

const folder = join(import.meta.dirname, "../../../bad/syntax");
const golden = join(import.meta.dirname, "../../../golden/syntax/messages.txt");
const names = readdirSync(folder).sort();

function read(name: string): SourceFile {
  return new SourceFile(name, readFileSync(join(folder, name), "utf8"));
}

function messages(name: string): Diagnostics {
  const diagnostics = new Diagnostics();
  const resolveInclude = (path: string) => (names.includes(path) ? read(path) : undefined);
  parse({ file: read(name), resolveInclude }, diagnostics);
  return diagnostics;
}

describe("wrong programs", () => {
  it.each(names)("%s gets its code first, with a place", (name) => {
    const { list } = messages(name);
    expect(list[0]?.code).toBe(name.slice(0, 6));
    for (const diagnostic of list) expect(diagnostic.span).toBeDefined();
  });

  it("get the messages on record", () => {
    const text = names.map((name) => `== ${name}\n${messages(name).list.map(formatDiagnostic).join("\n")}\n`);
    if (process.env["P4LOOM_GOLDEN"] === "update") writeFileSync(golden, text.join("\n"));
    expect(text.join("\n")).toBe(readFileSync(golden, "utf8"));
  });
});
