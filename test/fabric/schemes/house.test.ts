/** A scheme is its two folders and one line of the registry: no other file of the program knows it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { FLOW_SIM_SCHEMES } from "../../../src/fabric/schemes/index.js";
import * as registered from "../../../src/fabric/schemes/registry.js";

const root = resolve(import.meta.dirname, "../../..");
const names = Object.keys(registered);

/** May name schemes: examples that the help of commands shows. */
// The second one has a table of BF Runtime, `$pre.ecmp`.
const ALLOWED = new Set(["src/cli/examples.ts", "src/toolchain/p4runtime/bfrt/fixed-schema.ts"]);

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("generated"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

const REGISTRIES = new Set(["src/fabric/schemes/registry.ts", "src/fabric/schemes/flow-sim-registry.ts"]);

/** The scheme whose folder a file is in. */
function ownerOf(file: string): string | undefined {
  return /^(?:src\/fabric\/schemes|templates|p4)\/([a-z0-9-]+)\//.exec(file)?.[1];
}

describe("a scheme", () => {
  it("is one line of the registry, under its own name", () => {
    const lines = readFileSync(join(root, "src/fabric/schemes/registry.ts"), "utf8")
      .split("\n")
      // A mutation test puts a comment on top of each file.
      .filter((line) => line !== "" && !/^(\/\*\*|\/\/)/.test(line));
    expect(lines).toEqual(names.map((name) => `export { ${name} } from "./${name}/index.js";`));
    for (const [name, scheme] of Object.entries(registered)) expect(scheme.name).toBe(name);
  });

  it("of the flow simulator is one line of the registry, under its own name", () => {
    for (const [name, scheme] of Object.entries(FLOW_SIM_SCHEMES)) {
      expect(scheme.name).toBe(name);
      expect(names).toContain(name);
    }
  });

  it("has a folder, and no folder is without a scheme", () => {
    const folders = readdirSync(join(root, "src/fabric/schemes"), { withFileTypes: true });
    expect(
      folders
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort());
    for (const folder of readdirSync(join(root, "templates")))
      if (folder !== "partials") expect(names).toContain(folder);
    expect(existsSync(join(root, "templates/partials"))).toBe(true);
  });

  // `none` is a word of its own: that scheme has no other name to look for.
  it.each(names.filter((name) => name !== "none"))("%s is named by no file outside of schemes", (name) => {
    const word = new RegExp(`(?<![\\w-])${name}(?![\\w-])`);
    const naming = [...filesBelow("src"), ...filesBelow("templates"), ...filesBelow("mininet")]
      // The page of the wing describes the schemes.
      .filter((file) => !file.endsWith("README.md"))
      .filter((file) => !REGISTRIES.has(file) && !ALLOWED.has(file))
      // One scheme may build on another one.
      .filter((file) => ownerOf(file) === undefined || !names.includes(ownerOf(file)!))
      .filter((file) => word.test(readFileSync(join(root, file), "utf8")));
    expect(naming).toEqual([]);
  });
});
