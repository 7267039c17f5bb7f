/**
 * Every wrong program in test/bad/types gives its code, and an error or warning on the line marked `<- here`. One that
 * begins with `// strict` is checked strictly.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CODES } from "../../../../src/toolchain/p4/codes.js";
import { checkText } from "./checked.js";

const folder = join(import.meta.dirname, "../../../bad/types");
const files = readdirSync(folder).sort();

describe("wrong programs", () => {
  it.each(files)("%s", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const code = name.slice(0, 6);
    const line = text.split("\n").findIndex((each) => each.includes("// <- here")) + 1;
    const { found, diagnostics } = checkText(text, name, { strict: text.startsWith("// strict") });
    expect(line).toBeGreaterThan(0);
    expect(found).toContain(`${code}:${line}`);
    // Nothing else goes wrong in it, so one mistake makes one error.
    expect(diagnostics.errorCount).toBe(code.startsWith("P406") ? 0 : 1);
  });

  it("has an example for each code in use", () => {
    const source = join(import.meta.dirname, "../../../../src/toolchain/p4/types");
    const used = new Set<string>();
    for (const file of readdirSync(source))
      for (const [, name] of readFileSync(join(source, file), "utf8").matchAll(/CODES\.(\w+)/g))
        used.add(CODES[name as keyof typeof CODES]);
    const shown = new Set(files.map((name) => name.slice(0, 6)));
    expect([...used].filter((code) => !shown.has(code)).sort()).toEqual([]);
  });
});
