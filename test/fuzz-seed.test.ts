/** Property tests repeat in every file, whether it asks for a seed or not. This file imports nothing of `fuzz-seed.ts`. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import suite from "../vitest.config.js";

/** The cases that one assertion without settings tries. */
function cases(): number[] {
  const tried: number[] = [];
  fc.assert(fc.property(fc.integer(), (value) => tried.push(value) > 0));
  return tried;
}

describe("the seed of property tests", () => {
  it.skipIf(process.env["P4LOOM_FUZZ"] !== undefined)("is the same in every run", () => {
    const { seed, numRuns } = fc.readConfigureGlobal();
    expect({ seed, numRuns }).toEqual({ seed: 1, numRuns: 100 });
    expect(cases()).toEqual(fc.sample(fc.integer(), { seed: 1, numRuns: 100 }));
  });

  it("gives a file that sets none the same cases twice", () => {
    expect(cases()).toEqual(cases());
  });

  it("is set before each file of each part of the suite", () => {
    const parts = suite.test?.projects as { test: { name: string; setupFiles?: string[] } }[];
    expect(parts.map(({ test }) => [test.name, test.setupFiles?.[0]])).toEqual(
      ["rooms", "processes", "labs"].map((name) => [name, "test/fuzz-setup.ts"]),
    );
  });

  it("is set nowhere else: files of one worker share fast-check's settings", () => {
    const setters = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => /fc\.(configureGlobal|resetConfigureGlobal)\(/.test(readFileSync(file, "utf8")))
      .map((file) => relative(import.meta.dirname, file));
    expect(setters).toEqual(["fuzz-setup.ts"]);
  });
});
