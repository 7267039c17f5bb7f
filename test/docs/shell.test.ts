/** What docs/shell.md shows is run. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../src/base/index.js";
import { completions, readRuntimeFile } from "../../src/control/index.js";
import { P4InfoIndex } from "../../src/program/index.js";
import { p4infoOf, start } from "../control/start.js";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/shell.md"), "utf8");

it("shows sessions as they go", async () => {
  const { say } = start("l3");
  const sessions = [...page.matchAll(/^```\n(> [\s\S]*?)^```$/gm)].map((match) => match[1]!);
  expect(sessions.length).toBe(2);
  for (const session of sessions) {
    for (const step of session.split(/^> /m).slice(1)) {
      const [statement, ...lines] = step.trimEnd().split("\n");
      const answer = await say(statement!);
      expect({ statement, lines: answer.lines, messages: answer.messages }).toEqual({
        statement,
        lines,
        messages: [],
      });
    }
  }
});

it("quotes a message as it is printed", async () => {
  const [, statement, message] = /echo '(.*)' \| p4loom shell 50051\n((?: {4}.*\n)+)/.exec(page)!;
  const { diagnostics } = await start("l3").say(statement!);
  const printed = formatDiagnostic(diagnostics.list[0]!).replace(/^shell:/, "stdin:");
  expect(message!.replace(/^ {4}/gm, "").trimEnd()).toBe(printed);
});

it("shows a runtime file that is right", () => {
  const text = /```json\n([\s\S]*?)```/.exec(page)![1]!;
  const diagnostics = new Diagnostics();
  const file = readRuntimeFile(new SourceFile("s1-runtime.json", text), diagnostics)!;
  const updates = file.updates(new P4InfoIndex(p4infoOf("l3")), diagnostics);
  expect(diagnostics.list.map(formatDiagnostic)).toEqual([]);
  expect(updates).toHaveLength(5);
  const { device } = start("l3");
  device.apply(updates);
});

it("names every statement", () => {
  const shell = completions("", 0, undefined).candidates.filter((name) => !name.includes("_"));
  for (const name of shell) expect(page).toMatch(new RegExp(`\`[^\`]*\\b${name}\\b`));
});
