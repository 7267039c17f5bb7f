/** What docs/shell.md shows is run. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../src/base/index.js";
import { completions, Interpreter, readRuntimeFile } from "../../src/toolchain/control/index.js";
import type { PortAttachment, PortControl } from "../../src/toolchain/device/index.js";
import { P4InfoIndex } from "../../src/toolchain/program/index.js";
import { p4infoOf, start } from "../toolchain/control/start.js";
import { startClient, startServer } from "../toolchain/p4runtime/helpers.js";
import { startUnconfigured } from "../toolchain/switch/golden.js";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/shell.md"), "utf8");

/** Statements over P4Runtime, to a switch whose ports are only written down. */
async function startRemote() {
  const held = new Map<number, PortAttachment>([[7, { kind: "files", name: "run/p7" }]]);
  const ports: PortControl = {
    add: async (port, attachment) => void held.set(port, attachment),
    remove: async (port) => void held.delete(port),
    list: async () =>
      [...held].map(([port, attachment]) => ({
        ...{ port, attachment, up: true, received: 0, sent: 0, receiveDrops: 0, sendDrops: 0 },
      })),
  };
  const { device } = startUnconfigured("l3", p4infoOf("l3"), { ports });
  const files: Record<string, string> = {};
  const interpreter = new Interpreter(await startClient((await startServer(device)).address), {
    writeFile: (path, text) => {
      files[path] = text;
    },
    readFile: (path) => new SourceFile(path, files[path]!),
  });
  const say = async (text: string) => {
    const diagnostics = new Diagnostics();
    const lines: string[] = [];
    await interpreter.run(new SourceFile("shell", text), diagnostics, { print: (line) => lines.push(line) });
    return { lines, messages: diagnostics.list.map(formatDiagnostic) };
  };
  return { say };
}

it("shows sessions as they go", async () => {
  const { say } = await startRemote();
  const sessions = [...page.matchAll(/^```\n(> [\s\S]*?)^```$/gm)].map((match) => match[1]!);
  expect(sessions.length).toBe(3);
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
  const whole = ["add_port", "remove_port", "show_ports", "save_state", "restore_state", "reset_state"];
  const names = completions("", 0, undefined).candidates;
  const shell = [...names.filter((name) => !name.includes("_")), ...whole];
  expect(names).toEqual(expect.arrayContaining(whole));
  for (const name of shell) expect(page).toMatch(new RegExp(`\`[^\`]*\\b${name}\\b`));
});
