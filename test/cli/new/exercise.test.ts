/** `p4loom new exercise`: all that it writes runs, and means what its text says. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMAND } from "../../built-command.js";

const work = mkdtempSync(join(tmpdir(), "p4loom-new-exercise-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const p4loom = (...args: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...args], { cwd: work, encoding: "utf8" });
const read = (path: string) => readFileSync(join(work, "my-lab", path), "utf8");

beforeAll(() => {
  const { status, stderr } = p4loom("new", "exercise", "my-lab");
  expect([status, stderr]).toEqual([0, expect.stringContaining("p4loom grade --audit my-lab")]);
});

describe("p4loom new exercise", () => {
  it("writes text, starter, solution, network, tests and the list of an audit, under its name", () => {
    const files = readdirSync(join(work, "my-lab"), { recursive: true, encoding: "utf8" });
    expect(files.filter((path) => /\.\w+$/.test(path)).sort()).toEqual([
      ...["README.md", "exercise.yaml", "hidden/tests.yaml", "my-lab.p4", "s1-runtime.json"],
      ...["solution/audit.yaml", "solution/my-lab.p4", "topology.json"],
    ]);
    for (const path of files.filter((one) => /\.\w+$/.test(one))) expect(read(path)).not.toMatch(/\bNAME\b/);
  });

  it("gives the starter some points and the solution all, hidden ones too", () => {
    const starter = p4loom("grade", "my-lab");
    expect([starter.status, starter.stderr]).toEqual([1, ""]);
    expect(starter.stdout).toMatch(
      /^passed {2}1\/1 {2}IPv4 passes\nFAILED {2}0\/2 {2}other frames do not pass\n/,
    );
    expect(starter.stdout).toMatch(/\n1 of 5 points\n$/);
    const solved = p4loom("grade", "my-lab", "--submissions", "my-lab/solution", "--json");
    const submissions = JSON.parse(solved.stdout).submissions;
    expect(submissions.find((one: { name: string }) => one.name === "my-lab").points).toBe(5);
  });

  it("has tests that detect each change of its solution", () => {
    const { status, stdout, stderr } = p4loom("grade", "--audit", "my-lab", "--packets", "0");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/ 0 keep all points, 0 do not compile\n/);
  });

  it("is given to students by p4loom new course, and shown by p4loom lab", () => {
    expect(p4loom("new", "course", "term", "my-lab").status).toBe(0);
    const given = readdirSync(join(work, "term/my-lab"));
    expect(given).toEqual(expect.arrayContaining(["README.md", "exercise.yaml", "my-lab.p4"]));
    expect(given).not.toContain("hidden");
    expect(p4loom("lab", "--static", "page", "my-lab").status).toBe(0);
  });

  it("overwrites nothing", () => {
    const { status, stderr } = p4loom("new", "exercise", "my-lab");
    expect([status, stderr]).toEqual([1, expect.stringMatching(/P40003.*nothing is overwritten/)]);
  });
});
