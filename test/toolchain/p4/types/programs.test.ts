/** Whole programs: those kept as golden data, and the ones this repository shows. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { standardLibrary } from "../../../../src/toolchain/p4/stdlib/index.js";
import { parse } from "../../../../src/toolchain/p4/syntax/index.js";
import { check } from "../../../../src/toolchain/p4/types/index.js";

const root = join(import.meta.dirname, "../../../..");
/** The fit checker's own collection also holds programs that do not compile. */
const programs = ["test/golden", "p4"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".p4"))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  .filter((path) => !/[/\\]golden[/\\]fit[/\\]/.test(path) && /^V1Switch\(/m.test(readFileSync(path, "utf8")))
  .sort();

describe("whole programs", () => {
  it("are there", () => {
    expect(programs.length).toBeGreaterThan(8);
  });

  it.each(programs.map((path) => relative(root, path)))("%s has no errors", (path) => {
    const file = new SourceFile(path, readFileSync(join(root, path), "utf8"));
    const diagnostics = new Diagnostics();
    const resolveInclude = (name: string) => {
      try {
        return (
          standardLibrary(name) ?? new SourceFile(name, readFileSync(join(root, dirname(path), name), "utf8"))
        );
      } catch {
        return undefined;
      }
    };
    const program = check(parse({ file, resolveInclude }, diagnostics), diagnostics);
    expect(diagnostics.list.filter((d) => d.severity === "error").map(formatDiagnostic)).toEqual([]);
    expect(program.main?.resolved?.params.map((param) => param.name.name)).toEqual([
      "p",
      "vr",
      "ig",
      "eg",
      "ck",
      "dep",
    ]);
  });
});
