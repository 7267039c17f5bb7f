/** `p4loom grade --audit` on folders of a teacher: the list of exceptions, folders that cannot be audited, and options. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { COMMAND } from "../../built-command.js";

const original = resolve(import.meta.dirname, "../../../examples/course/01-forwarding");
const scratch = mkdtempSync(join(tmpdir(), "p4loom-audit-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let folders = 0;
function copy(): string {
  const folder = join(scratch, `exercise${folders++}`);
  cpSync(original, folder, { recursive: true });
  return folder;
}

function grade(...options: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [COMMAND, "grade", ...options], {
    encoding: "utf8",
  });
  return { stdout, stderr: stderr.replaceAll(scratch, ""), status };
}

const QUICK = ["--packets", "50"];

/** A folder without the test that sends unknown destinations: the default action of the table may then change. */
function withSurvivor(): string {
  const folder = copy();
  const path = join(folder, "exercise.yaml");
  const text = readFileSync(path, "utf8");
  const tests = text.slice(text.indexOf("tests:")).split(/^(?= {2}- )/m);
  const kept = tests.filter((one, i) => i === 0 || one.includes("h1, h2 and h3 reach each other"));
  expect(kept.length).toBe(2);
  writeFileSync(path, text.slice(0, text.indexOf("tests:")) + kept.join(""));
  return folder;
}

describe("an audit", () => {
  it("has status 0 without survivors, and no exceptions to tell of", () => {
    const { stdout, stderr, status } = grade(original, "--audit", ...QUICK);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toMatch(/ 0 keep all points, 0 do not compile\n/);
  });

  it("has status 1 and the place of a survivor, until the survivor is listed with a reason", () => {
    const folder = withSurvivor();
    const first = grade(folder, "--audit", ...QUICK, "--json");
    expect(first.status).toBe(1);
    const survivors = JSON.parse(first.stdout).mutants.filter(
      ({ outcome }: { outcome: string }) => outcome === "survived",
    ) as { name: string; line: number }[];
    expect(survivors.length).toBeGreaterThan(0);
    expect(grade(folder, "--audit", ...QUICK).stdout).toContain(`:${survivors[0]!.line}:`);
    const entries = survivors.map(
      ({ name }) => `  - { change: ${JSON.stringify(name)}, why: the lesson is elsewhere }\n`,
    );
    writeFileSync(join(folder, "solution/audit.yaml"), `untested:\n${entries.join("")}`);
    const listed = grade(folder, "--audit", ...QUICK);
    expect({ stderr: listed.stderr, status: listed.status }).toEqual({ stderr: "", status: 0 });
  });

  it("warns of exceptions that are not true: P46322", () => {
    const folder = copy();
    writeFileSync(
      join(folder, "solution/audit.yaml"),
      "equivalent:\n  - { change: none, why: it is not there }\n",
    );
    const { stderr } = grade(folder, "--audit", ...QUICK);
    expect(stderr).toMatch(/solution\/audit\.yaml:2:\d+: warning\[P46322\]/);
  });

  it("refuses an exception without a reason", () => {
    const folder = copy();
    writeFileSync(join(folder, "solution/audit.yaml"), "equivalent:\n  - { change: none }\n");
    const { stderr, status } = grade(folder, "--audit", ...QUICK);
    expect(stderr).toMatch(/solution\/audit\.yaml:2:\d+: error\[P4300\d\].*why/);
    expect(status).toBe(1);
  });

  it("needs a folder, not a file of it: P46301", () => {
    const { stderr, status } = grade(join(original, "exercise.yaml"), "--audit");
    expect(stderr).toMatch(/error\[P46301\].*exercise\.yaml is a file; expected the folder of an exercise/);
    expect(status).toBe(1);
  });

  it("needs a solution: P46320", () => {
    const folder = copy();
    rmSync(join(folder, "solution"), { recursive: true });
    const { stderr, status } = grade(folder, "--audit", ...QUICK);
    expect(stderr).toMatch(/error\[P46320\]/);
    expect(status).toBe(1);
  });

  it("needs a solution with all points: P46321", () => {
    const folder = copy();
    cpSync(join(folder, "forwarding.p4"), join(folder, "solution/forwarding.p4"));
    const { stderr, status } = grade(folder, "--audit", ...QUICK);
    expect(stderr).toMatch(/error\[P46321\]/);
    expect(status).toBe(1);
  });
});

describe("options", () => {
  it.each([
    [["--mutants", "5"], "--mutants has no meaning without --audit"],
    [["--packets", "5"], "--packets has no meaning without --audit"],
    [["--seed", "5"], "--seed has no meaning without --audit"],
    [["--audit", "--submissions", "x"], "--submissions has no meaning with --audit"],
    [["--audit", "--since", "x"], "--since has no meaning with --audit"],
    [["--audit", "--engine", "bmv2"], "--engine has no meaning with --audit"],
  ])("%j", (options, message) => {
    const { stderr, status } = grade(original, ...options);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});
