/** `p4loom stf` as a user meets it: exit status, the line on stdout, messages on stderr. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "p4loom-stf-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SMALL = "test/toolchain/stf/programs/small.p4";

function stf(program: string, text: string, ...options: string[]) {
  const test = join(folder, "test.stf");
  writeFileSync(test, text);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [COMMAND, "stf", program, test, ...options],
    { cwd: root, encoding: "utf8" },
  );
  return { status, stdout: stdout.replaceAll(`${folder}/`, ""), stderr: stderr.replaceAll(`${folder}/`, "") };
}

it("passes a test of a P4 program, and says so", () => {
  const text = "add exactly kind:1 data.valid:1 send(port:2)\npacket 0 01 0000 00\nexpect 2 01 0000 00 $\n";
  expect(stf(SMALL, text)).toEqual({ status: 0, stdout: "test.stf: 1 passed, 0 failed\n", stderr: "" });
});

it("fails a test of a BMv2 JSON program, with the place, and counts in JSON", () => {
  const text = "packet 1 00\nexpect 1 00\nregister_read r9 0\n";
  const { status, stdout, stderr } = stf("test/golden/memory/memory.json", text, "--json");
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    program: "test/golden/memory/memory.json",
    test: "test.stf",
    passed: 0,
    failed: 1,
  });
  expect(stderr).toMatch(/^r9\[0\]= 0\n/);
  expect(stderr).toMatch(/^test\.stf:2:1: error\[P41256\]/m);
});

it("plays nothing when the test or the program cannot be read", () => {
  expect(stf(SMALL, "pakcet 0 00\n")).toMatchObject({ status: 1, stdout: "" });
  const program = stf("test/bad/lower/P40430-no-main.p4", "packet 0 00\n");
  expect([program.status, program.stdout]).toEqual([1, ""]);
  expect(program.stderr).toMatch(/error\[P40430\]/);
});

it.each(["abc", "-1", "4294967296"])("refuses the seed %j as wrong usage", (seed) => {
  expect(stf(SMALL, "packet 0 00\n", `--seed=${seed}`)).toEqual({
    status: 2,
    stdout: "",
    stderr: `error[P40006]: --seed ${seed}: expected a whole number below 2^32\n`,
  });
});
