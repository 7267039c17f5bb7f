/** Every wrong program in test/bad/lower gives its code, and nothing else, on the line marked `<- here`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CODES } from "../../../../src/toolchain/p4/codes.js";
import { tryCompile } from "./v1model.js";

const folder = join(import.meta.dirname, "../../../bad/lower");
const files = readdirSync(folder).sort();

/** The way out for values that no program is known to make. */
const WITHOUT_EXAMPLE = ["P40405"];

describe("wrong programs", () => {
  it.each(files)("%s", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const code = name.slice(0, 6);
    const { result, diagnostics } = tryCompile(text, name);
    expect(diagnostics.list.map((one) => one.code)).toEqual([code]);
    const { span, severity } = diagnostics.list[0]!;
    expect(span).toBeDefined();
    const line = text.split("\n").findIndex((each) => each.includes("// <- here")) + 1;
    if (line > 0) expect(span!.file.position(span!.start).line).toBe(line);
    // A wrong program gives no output; a warning does not stop it.
    expect(severity).toBe(code.startsWith("P406") ? "warning" : "error");
    expect(result === undefined).toBe(severity === "error");
  });

  it("has an example for each code in use", () => {
    const used = new Set<string>();
    for (const room of ["lower", "emit"]) {
      const source = join(import.meta.dirname, "../../../../src/toolchain/p4", room);
      for (const entry of readdirSync(source, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) {
          const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
          for (const [, name] of text.matchAll(/CODES\.(\w+)/g)) used.add(CODES[name as keyof typeof CODES]);
        }
    }
    const shown = new Set(files.map((name) => name.slice(0, 6)));
    expect([...used].filter((code) => !shown.has(code)).sort()).toEqual(WITHOUT_EXAMPLE);
  });
});
