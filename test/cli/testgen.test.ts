/** `p4loom testgen` as a user meets it: files, exit status, what it refuses. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "p4loom-testgen-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = "test/toolchain/coverage/programs/choices.p4";

function p4loom(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

it("writes tests that cover the program and pass, and JUnit's cases", () => {
  const junit = join(folder, "junit.xml");
  const made = p4loom("testgen", PROGRAM, "--out", folder, "--junit", junit);
  expect([made.status, made.stderr]).toEqual([0, ""]);
  const tests = readdirSync(folder).filter((name) => name.endsWith(".stf"));
  expect(made.stdout).toMatch(new RegExp(`^${PROGRAM}: ${tests.length} tests of \\d+ paths\n`));
  const covered = p4loom("coverage", PROGRAM, ...tests.map((name) => join(folder, name)), "--json");
  expect(covered.status).toBe(0);
  const { totals } = JSON.parse(covered.stdout);
  for (const { reached, of } of Object.values(totals) as { reached: number; of: number }[])
    expect(reached).toBe(of);
  expect(readFileSync(junit, "utf8")).toContain(
    `tests="${tests.length}" failures="0" errors="0" skipped="0"`,
  );
});

it("ends with 3 where a limit left something, and says which", () => {
  const { status, stdout } = p4loom("testgen", PROGRAM, "--max-tests", "1");
  expect(status).toBe(3);
  expect(stdout).toMatch(/not reached\n/);
  expect(stdout).toMatch(/the number of tests ended before all paths were followed \(--max-tests\)/);
});

it("refuses programs for Tofino and wrong limits", () => {
  const tofino = p4loom("testgen", "test/golden/tna/run/parsing.p4");
  expect(tofino).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(/error\[P40042\]: .* is for tna/),
  });
  expect(p4loom("testgen", PROGRAM, "--seed", "x")).toMatchObject({ status: 2, stdout: "" });
});
