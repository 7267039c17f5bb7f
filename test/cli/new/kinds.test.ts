/** `p4loom new scheme` and `new experiment`: what they write runs, and so do its tests. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import { writeNew } from "../../../src/cli/new/new.js";
import { COMMAND } from "../../built-command.js";

const cwd = mkdtempSync(join(tmpdir(), "p4loom-new-"));
const before = process.cwd();
beforeAll(() => process.chdir(cwd));
afterAll(() => {
  process.chdir(before);
  rmSync(cwd, { recursive: true, force: true });
});

const testOf = (name: string, command = `${process.execPath} ${COMMAND}`) =>
  spawnSync(process.execPath, ["--test", join(cwd, name)], {
    encoding: "utf8",
    env: { ...process.env, P4LOOM: command },
  }).stdout;

const refused = async (...words: [what: string, name: string, kind?: string]): Promise<string> => {
  const [what, name, kind] = words;
  const error: unknown = await writeNew(what, name, [], kind === undefined ? {} : { kind }).catch(
    (one: unknown) => one,
  );
  return error instanceof DiagnosticError ? error.message : `not refused: ${String(error)}`;
};

const EXPERIMENT = ["experiment.test.mjs", "experiment.yaml", "results.mjs"];
const SCHEME = ["experiment.yaml", "results.mjs", "scheme.mjs", "scheme.test.mjs"];

describe.each([
  ["scheme", undefined, SCHEME, 1],
  ["scheme", "host", SCHEME, 1],
  ["scheme", "switch", [...SCHEME, "switch.p4.hbs"], 1],
  ["experiment", undefined, EXPERIMENT, 1],
  ["experiment", "load", EXPERIMENT, 2],
] as const)("p4loom new %s, kind %s", (what, kind, files, tests) => {
  const name = `${what}-${kind ?? "default"}`;

  it("writes a folder whose test runs its experiment", async () => {
    expect(await writeNew(what, name, [], kind === undefined ? {} : { kind })).toBe(0);
    expect(readdirSync(join(cwd, name)).sort()).toEqual(files);
    expect(testOf(name)).toContain(`# pass ${tests}\n# fail 0`);
    expect(await refused(what, name, kind)).toMatch(/P40003.*nothing is overwritten/);
  }, 120_000);
});

it("the tests say how the command is called where it is not on PATH", () => {
  expect(testOf("scheme-host", "no-such-p4loom")).toMatch(
    /there is no command no-such-p4loom; say how to call p4loom: P4LOOM="npx p4loom" node --test scheme-host/,
  );
});

it("other kinds, and names that are taken or no names, are refused", async () => {
  expect(await refused("scheme", "mine", "load")).toContain(
    "--kind load: expected host or switch for a new scheme",
  );
  expect(await refused("experiment", "mine", "host")).toContain(
    "--kind host: expected failover or load for a new experiment",
  );
  expect(await refused("exercise", "mine", "host")).toContain("only schemes and experiments have kinds");
  expect(await refused("scheme", "prr")).toContain("a scheme of p4loom has this name");
  for (const what of ["scheme", "experiment"])
    expect(await refused(what, "../x")).toContain("expected lower-case letters, digits and dashes");
  expect(readdirSync(cwd)).not.toContain("mine");
});
