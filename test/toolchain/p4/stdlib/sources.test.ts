/** The library text that the compiler carries (a browser has no files) is that of p4/. `npm run golden` renews it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../../..");
const names = [
  "core.p4",
  "v1model.p4",
  "psa.p4",
  "psa_dpdk.p4",
  "pna.p4",
  "pna_dpdk.p4",
  "pna_bmv2.p4",
  "tna.p4",
  "t2na.p4",
  "tofino1_specs.p4",
  "tofino2_specs.p4",
  "tofino_types.p4",
  "tofino_shared.p4",
  "tofino_selection.p4",
  "tofino1_base.p4",
  "tofino2_base.p4",
  "tofino1_arch.p4",
  "tofino2_arch.p4",
];

function moduleText(): string {
  const entries = names.map((name) => {
    const text = readFileSync(join(root, "p4", name), "utf8");
    if (/`|\$\{/.test(text)) throw new Error(`p4/${name} holds a character that a template would change`);
    return `  ${JSON.stringify(name)}: \`${text.replaceAll("\\", "\\\\")}\`,\n`;
  });
  return [
    "/** The files of p4/ as text. Written by test/toolchain/p4/stdlib/sources.test.ts under `npm run golden`. */\n",
    `export const sources: Readonly<Record<string, string>> = {\n${entries.join("")}};\n`,
  ].join("");
}

describe("embedded library sources", () => {
  it("are the files of p4/", () => {
    const path = join(root, "src/toolchain/p4/stdlib/sources.ts");
    if (process.env["P4LOOM_GOLDEN"] === "update") writeFileSync(path, moduleText());
    expect(readFileSync(path, "utf8")).toBe(moduleText());
  });

  it("are served by name, one file object a name", async () => {
    // Only now, as the module may just have been written.
    const { standardLibrary } = await import("../../../../src/toolchain/p4/stdlib/index.js");
    for (const name of names) {
      const file = standardLibrary(name);
      expect(file?.text).toBe(readFileSync(join(root, "p4", name), "utf8"));
      expect(standardLibrary(name)).toBe(file);
    }
    expect(standardLibrary("bmv2/psa.p4")).toBe(standardLibrary("psa.p4"));
    expect(standardLibrary("psa_switch.p4")).toBeUndefined();
    expect(standardLibrary("toString")).toBeUndefined();
  });
});
