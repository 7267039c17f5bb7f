/** `p4loom fmt` as a user meets it. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-fmt-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LOOSE = "const bit<8> A=1;\n";
const NEAT = "const bit<8> A = 1;\n";

beforeEach(() => {
  writeFileSync(join(folder, "loose.p4"), LOOSE);
  writeFileSync(join(folder, "neat.p4"), NEAT);
  writeFileSync(join(folder, "open.p4"), "struct s_t {\n");
});

function fmt(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, "fmt", ...args], {
    cwd: folder,
    encoding: "utf8",
    input,
  });
  return { status, stdout, stderr };
}

it("prints, checks and writes", () => {
  expect(fmt(["loose.p4"])).toEqual({ status: 0, stdout: NEAT, stderr: "" });
  expect(fmt(["--check", "loose.p4", "neat.p4"])).toEqual({ status: 1, stdout: "loose.p4\n", stderr: "" });
  expect(fmt(["--check", "neat.p4"])).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(fmt(["--stdin"], LOOSE)).toEqual({ status: 0, stdout: NEAT, stderr: "" });
  chmodSync(join(folder, "loose.p4"), 0o640);
  symlinkSync("loose.p4", join(folder, "link.p4"));
  expect(fmt(["--write", "link.p4"])).toEqual({ status: 0, stdout: "", stderr: "formatted link.p4\n" });
  expect(readFileSync(join(folder, "loose.p4"), "utf8")).toBe(NEAT);
  expect(lstatSync(join(folder, "link.p4")).isSymbolicLink()).toBe(true);
  expect(statSync(join(folder, "loose.p4")).mode & 0o777).toBe(0o640);
});

it("writes nothing where one file of a folder cannot be formatted", () => {
  const { status, stdout, stderr } = fmt(["--write", "."]);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^open\.p4:1:12: error\[P46200\]: this '\{' is never closed/);
  expect(readFileSync(join(folder, "loose.p4"), "utf8")).toBe(LOOSE);
});

it("refuses wrong usage and text that is not UTF-8", () => {
  expect(fmt([])).toMatchObject({ status: 2 });
  expect(fmt(["--stdin", "loose.p4"])).toMatchObject({ status: 2 });
  expect(fmt(["--check", "--write", "loose.p4"])).toMatchObject({ status: 2 });
  writeFileSync(join(folder, "latin.p4"), Buffer.from("// caf\xe9\n", "latin1"));
  const { status, stderr } = fmt(["latin.p4"]);
  expect(status).toBe(1);
  expect(stderr).toMatch(/error\[P40019\]: latin\.p4 is not UTF-8 text/);
});
