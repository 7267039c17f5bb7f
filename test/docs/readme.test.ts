/** What the README shows is run: its commands, its program, its message. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "p4loom-readme-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
}

function p4loom(...args: string[]) {
  return node(COMMAND, ...args);
}

describe("README", () => {
  const commands = [...readme.matchAll(/^ {4}npx p4loom (.*)$/gm)].map((match) => match[1]!);

  it("shows commands", () => {
    expect(commands.length).toBeGreaterThan(4);
  });

  it.each(commands.filter((command) => !/^(switch|shell|lab) /.test(command)))("p4loom %s", (command) => {
    // Outputs go to a folder of the test's own; inputs are the files of the project.
    const args = command
      .split(/\s+/)
      .map((word, i, all) =>
        /^(-o|--out|--p4runtime-files)$/.test(all[i - 1] ?? "") ? join(folder, word) : word,
      );
    const { status, stderr } = p4loom(...args);
    expect(stderr).not.toContain("error[");
    expect(status).toBe(0);
  });

  it("runs the library example, which prints what the page says", () => {
    const code = /```ts\n([\s\S]*?)```/.exec(readme)![1]!;
    const file = join(folder, "example.mts");
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      exports: Record<string, string>;
    };
    const sourceOf = (name: string) =>
      exports[`./${name}`]!.replace("./dist/", "src/").replace(/\.js$/, ".ts");
    writeFileSync(
      file,
      code.replace(/"p4loom\/([a-z0-9/]+)"/g, (_, room) => JSON.stringify(join(root, sourceOf(room)))),
    );
    const printed = /It prints\n\n {4}(.*)\n/.exec(readme)![1]!;
    const { stdout, stderr } = node("--import", "tsx", file);
    expect(stderr).toBe("");
    expect(stdout.trim()).toBe(printed);
  });

  it("quotes a message as it is printed", () => {
    const block = /((?: {4}.*\n)*? {4}ether\.p4:\d+:\d+: error\[.*\n(?: {4}.*\n)*)/.exec(readme)![1]!;
    const expected = block.replace(/^ {4}/gm, "");
    writeFileSync(join(folder, "ether.p4"), "header ethernet_t {\n    bit<48> dst\n    bit<48> src;\n}\n");
    const { stderr, status } = spawnSync(process.execPath, [COMMAND, "check", "ether.p4"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stderr).toBe(expected);
    expect(status).toBe(1);
  });

  it("names only pages and files that are there", () => {
    const links = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map((match) => match[1]!);
    for (const link of links) expect(() => readFileSync(join(root, link)), link).not.toThrow();
  });
});
