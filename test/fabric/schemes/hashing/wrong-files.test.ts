/** Wrong files about hash functions: each has one located error that says what would be right. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { loadExperimentFile } from "../../../../src/fabric/experiment/index.js";

const bad = join(import.meta.dirname, "../../../bad/hashing");

it.each(readdirSync(bad))("%s", (name) => {
  const diagnostics = new Diagnostics();
  expect(
    loadExperimentFile(new SourceFile(name, readFileSync(join(bad, name), "utf8")), diagnostics),
  ).toBeUndefined();
  const messages = diagnostics.list.map((one) => formatDiagnostic(one));
  expect(messages).toHaveLength(1);
  expect(messages[0]).toMatch(new RegExp(`^${name}:\\d+:\\d+: error\\[${name.slice(0, 6)}\\]: `));
  expect(messages[0]).toMatchSnapshot();
});
