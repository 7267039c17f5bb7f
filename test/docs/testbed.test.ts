/** What docs/testbed.md shows is run: its program, and its commands. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";
import { whyNot } from "../fabric/testbed/machine.js";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/testbed.md"), "utf8");
let folder = "";

beforeAll(() => {
  mkdirSync(join(root, "out"), { recursive: true });
  folder = mkdtempSync(join(root, "out/testbed-page-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
}

function p4loom(...args: string[]) {
  return node(COMMAND, ...args);
}

const reason = whyNot("netns", "switch");

it.skipIf(reason !== undefined)(`runs the program, which prints what the page says ${reason ?? ""}`, () => {
  const code = /```ts\n([\s\S]*?)```/
    .exec(page)![1]!
    .replace('"p4loom/testbed"', JSON.stringify(join(root, "src/api/testbed.ts")))
    .replace('"out/example"', JSON.stringify(folder));
  const file = join(folder, "example.mts");
  writeFileSync(file, code);
  const { stdout, stderr } = node("--import", "tsx", file);
  expect(stderr).toBe("");
  expect(stdout.trim()).toBe(/It prints\n\n {4}(.*)\n/.exec(page)![1]!);
});

it("shows existing commands: doctor reports in one document what works", () => {
  const commands = [...page.matchAll(/^ {4}sudo p4loom (.*)$/gm)].map((match) => match[1]!);
  expect(commands).toEqual(["doctor", "clean"]);
  const doctor = p4loom("doctor", "--json");
  expect(doctor.stderr).toBe("");
  const { findings, commands: uses } = JSON.parse(doctor.stdout);
  expect(findings[0]).toEqual({ name: "node", ok: true, detail: process.version });
  expect(uses[0]).toMatchObject({ works: true, lacks: [] });
  const text = p4loom("doctor").stdout;
  expect(text).toContain(`node                yes  ${process.version}`);
  // not run: it would clean up for the tests of cleaning, which leave something for themselves
  const clean = p4loom("clean", "--help");
  expect(clean.status).toBe(0);
  expect(clean.stdout).toContain("--json");
});
