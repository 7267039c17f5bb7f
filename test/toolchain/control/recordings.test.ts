/**
 * What the commands print, against recordings of simple_switch_CLI 1.15.5 (test/golden/command-text: a command behind
 * `>`, then what it printed). Names of key fields are BMv2's there and P4's here, so they are left out; where the
 * recording has an error, there is a diagnostic here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { Interpreter } from "../../../src/toolchain/control/index.js";
import { startUnconfigured } from "../switch/golden.js";

const folder = resolve(import.meta.dirname, "../../golden/command-text");

const ERROR = /^(Invalid |Error: |\*\*\* )/;

/** Entries of the program have priorities of their own choice in the embedded switch. */
const DIFFERENT = new Set(["table_dump classes"]);

function withoutFieldNames(line: string): string {
  if (line.startsWith("* ")) return line.replace(/^\* \S+ *: /, "* : ");
  return line.replace(/(mk=|\t)[^\s(]+\(/g, "$1(");
}

function steps(text: string): { command: string; printed: string[] }[] {
  return text
    .split(/^> /m)
    .slice(1)
    .map((step) => {
      const [command, ...printed] = step.replace(/\n$/, "").split("\n");
      return { command: command!, printed };
    });
}

describe.each(readdirSync(folder))("%s", (name) => {
  it("reads as recorded", async () => {
    const { device } = startUnconfigured(name.replace(".txt", ""));
    const interpreter = new Interpreter(device);
    const recorded = steps(readFileSync(resolve(folder, name), "utf8"));
    expect(recorded.length).toBeGreaterThan(3);
    for (const { command, printed } of recorded) {
      if (DIFFERENT.has(command)) continue;
      const diagnostics = new Diagnostics();
      const lines: string[] = [];
      const output = { print: (line: string) => lines.push(line) };
      await interpreter.run(new SourceFile("commands.txt", command), diagnostics, output);
      const failed = printed.some((line) => ERROR.test(line));
      expect({ command, errors: diagnostics.errorCount }).toEqual({ command, errors: failed ? 1 : 0 });
      if (failed) continue;
      expect({ command, lines: lines.map(withoutFieldNames) }).toEqual({
        command,
        lines: printed.map(withoutFieldNames),
      });
    }
  });
});
