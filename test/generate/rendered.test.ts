/**
 * The programs in p4/ are what the schemes generate for examples/topologies/clos.yaml with their default
 * parameters. `npm run golden` writes them anew.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { renderPrograms } from "../../src/generate/index.js";
import { SCHEMES, schemeNamed } from "../../src/schemes/index.js";
import { example } from "../topology/load.js";
import { templates } from "./load.js";

const update = process.env["P4LOOM_GOLDEN"] === "update";

describe.each(Object.keys(SCHEMES))("p4/%s", (name) => {
  const folder = resolve(import.meta.dirname, "../../p4", name);
  const scheme = schemeNamed(name)!;
  const plan = scheme.plan(example("clos"), scheme.parameters.parse({}));
  const files = renderPrograms(templates, plan.programs);
  if (update) {
    mkdirSync(folder, { recursive: true });
    for (const { file, text } of files) writeFileSync(join(folder, file), text);
  }

  it.each(files)("$file is up to date", ({ file, text }) => {
    expect(readFileSync(join(folder, file), "utf8")).toBe(text);
  });

  it("holds no other program", () => {
    const there = readdirSync(folder).filter((file) => file.endsWith(".p4"));
    expect(there.sort()).toEqual(files.map(({ file }) => file).sort());
  });
});
