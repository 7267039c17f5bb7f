/** The manual page has what the help has. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { COMMAND } from "../built-command.js";

const root = resolve(import.meta.dirname, "../..");
/** The program that formats manual pages, with all its warnings. */
const GROFF = ["groff", "-man", "-Tutf8", "-ww", "-rLL=80n"] as const;
const hasGroff = spawnSync(GROFF[0], ["--version"]).status === 0;

function run(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

it("names every command of the help with its options, and is troff", () => {
  const page = run("man");
  const commands = [...run("--help").matchAll(/^ {2}([a-z]+)(?: \[options\]| <| \[| {2})/gm)].map(
    (match) => match[1]!,
  );
  expect(commands).toEqual(expect.arrayContaining(["run", "compile", "fmt", "lsp", "man"]));
  for (const name of commands) if (name !== "help") expect(page).toContain(`\n.SS "${name}"\n`);
  expect(page).toContain("\\fB\\-\\-check\\fR");
  expect(page).toMatch(/\.SH "EXIT STATUS"\n/);
  // What begins with a dot or quotation mark is a request: one that the page uses, or text that is protected.
  for (const line of page.split("\n"))
    if (/^[.']/.test(line)) expect(line).toMatch(/^\.(TH|SH|SS|PP|TP|RS|RE|nf|fi)\b/);
});

it("is the file that the package gives to man", () => {
  const { man } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { man: string };
  expect(man).toMatch(/\/p4loom\.1$/);
  expect(readFileSync(join(root, man), "utf8")).toBe(run("man"));
});

it.skipIf(!hasGroff)(`renders without a warning${hasGroff ? "" : " (skipped: no groff on PATH)"}`, () => {
  const { stdout, stderr } = spawnSync(GROFF[0], GROFF.slice(1), { encoding: "utf8", input: run("man") });
  expect(stderr).toBe("");
  expect(stdout).toContain("p4loom fmt");
});
