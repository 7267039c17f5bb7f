/** `p4loom coverage` as a user meets it: exit status, outputs, and what it refuses. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { encodePcap } from "../../src/base/packets/index.js";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "p4loom-coverage-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROGRAM = "test/toolchain/coverage/programs/choices.p4";

function coverage(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, "coverage", PROGRAM, ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout, stderr: stderr.replaceAll(`${folder}/`, "") };
}

function coverageOf(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, "coverage", ...args], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stdout: stdout.replaceAll(`${folder}/`, ""), stderr };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

it("adds tests and captures, and writes each output", () => {
  const test = file("test.stf", "packet 1 0100\nexpect 1 0100 $\n");
  const frame = Uint8Array.of(2, 0, 7);
  const capture = file("more.pcap", encodePcap([{ seconds: 0, nanoseconds: 0, frame }]));
  const [page, tracefile] = [join(folder, "c.html"), join(folder, "c.info")];
  const { status, stdout, stderr } = coverage(test, capture, "--html", page, "--lcov", tracefile);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^parser states +2 +2 +100\.0 %$/m);
  expect(stdout).not.toContain("branch start: 0x01");
  expect(stdout).toContain(`${PROGRAM}:44:24: statement hdr.data.value = hdr.data.value + 1`);
  expect(readFileSync(page, "utf8")).toContain(`<h1>Coverage of ${PROGRAM}</h1>`);
  expect(readFileSync(tracefile, "utf8")).toContain(`SF:${PROGRAM}\n`);
  expect(JSON.parse(coverage(test, capture, "--json").stdout).totals.state).toEqual({ reached: 2, of: 2 });
});

it("fails below --min, and where an expectation fails", () => {
  const test = file("one.stf", "packet 1 0100\nexpect 1 0100 $\n");
  expect(coverage(test, "--min", "20").status).toBe(0);
  const low = coverage(test, "--min", "99.5");
  expect(low.status).toBe(1);
  expect(low.stderr).toMatch(/error\[P40041\]: .* reach \d+\.\d % of the statements; --min asks for 99\.5 %/);
  const wrong = coverage(file("wrong.stf", "packet 1 0100\nexpect 1 0200 $\n"));
  expect(wrong.status).toBe(1);
  expect(wrong.stderr).toMatch(/^wrong\.stf:2:1: error\[P41255\]/m);
  expect(wrong.stdout).toMatch(/^statements/m);
});

it("refuses what has no meaning, and writes nothing where a test cannot be read", () => {
  const test = file("one.stf", "packet 1 0100\nexpect 1 0100 $\n");
  for (const args of [
    ["--port", "1"],
    ["--min", "101"],
    ["--lcov", "-", "--json"],
    ["--seed", "-1"],
  ])
    expect(coverage(test, ...args)).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("P40005"),
    });
  const page = join(folder, "none.html");
  expect(coverage(file("bad.stf", "pakcet 0 00\n"), "--html", page)).toMatchObject({ status: 1, stdout: "" });
  expect(existsSync(page)).toBe(false);
});

it("runs the tests of an exercise on its solution, and shows what they do not see", () => {
  const exercise = join(folder, "forwarding");
  cpSync(join(root, "examples/course/01-forwarding"), exercise, { recursive: true });
  const page = join(folder, "exercise.html");
  const all = coverageOf(exercise, "--html", page, "--min", "100");
  expect([all.status, all.stderr]).toEqual([0, ""]);
  expect(all.stdout).not.toContain("not reached");
  expect(readFileSync(page, "utf8")).toContain("Coverage of ");
  expect(readFileSync(page, "utf8")).toContain("standard_metadata.egress_spec = port;");
  // With pings alone nobody looks whether frames for unknown stations are dropped.
  const yaml = join(exercise, "exercise.yaml");
  const head = readFileSync(yaml, "utf8").split("\ntests:")[0]!;
  writeFileSync(
    yaml,
    `${head}\ntests:\n  - { name: pings, points: 1, steps: [{ ping: { from: h1, to: h2 } }, { ping: { from: h1, to: h3 } }] }\n`,
  );
  const some = coverageOf(exercise, "forwarding.p4");
  expect([some.status, some.stderr]).toEqual([0, ""]);
  const solution = readFileSync(join(exercise, "solution/forwarding.p4"), "utf8").split("\n");
  const drop = solution.findIndex((line) => line.includes("mark_to_drop")) + 1;
  expect(some.stdout).toMatch(
    new RegExp(`^ {2}forwarding/solution/forwarding\\.p4:${drop}:\\d+: statement `, "m"),
  );
  const low = coverageOf(exercise, "--min", "100");
  expect(low.status).toBe(1);
  expect(low.stderr).toContain("error[P40041]");
});

it("covers the program that students get where they hand in a controller", () => {
  const { status, stdout, stderr } = coverageOf("examples/course/09-controller", "--json");
  expect([status, stderr]).toEqual([0, ""]);
  const { program, items, totals } = JSON.parse(stdout);
  expect(program).toMatch(/^examples\/course\/09-controller\/[a-z0-9-]+\.p4$/);
  expect(totals.statement.reached).toBeGreaterThan(0);
  for (const { place } of items) expect(place.filename).toBe(program);
});

it("refuses options and names that have no meaning with an exercise, and a program without packets", () => {
  const exercise = "examples/course/01-forwarding";
  expect(coverageOf(exercise, "--port", "1")).toMatchObject({ status: 2, stdout: "" });
  const other = coverageOf(exercise, "other.p4");
  expect(other).toMatchObject({ status: 2, stdout: "" });
  expect(other.stderr).toContain("they run forwarding.p4");
  const none = coverageOf(PROGRAM);
  expect([none.status, none.stdout]).toEqual([2, ""]);
  expect(none.stderr).toContain("no packets are given");
});
