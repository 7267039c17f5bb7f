/** The program of the packet tests, and one line to play a test on it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Bmv2Program, P4Info } from "../../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../../src/toolchain/stf/index.js";
import type { StfOptions } from "../../../src/toolchain/stf/run-script.js";

function compileSmall(): { bmv2: Bmv2Program; p4info: P4Info } {
  const diagnostics = new Diagnostics();
  const text = readFileSync(join(import.meta.dirname, "programs/small.p4"), "utf8");
  const result = compile({ file: new SourceFile("small.p4", text) }, diagnostics);
  diagnostics.throwIfErrors();
  return result!.program;
}

export const small = compileSmall();

/** Plays a test; messages come back as text, places included. */
export async function play(
  text: string,
  program: { bmv2: Bmv2Program; p4info?: P4Info } = small,
  options?: StfOptions,
): Promise<{ passed: number; failed: number; codes: string[]; messages: string[] }> {
  const diagnostics = new Diagnostics();
  const commands = readStf(new SourceFile("test.stf", text), diagnostics);
  const result = await runStf(commands, program, diagnostics, options);
  return {
    ...result,
    codes: diagnostics.list.map(({ code }) => code),
    messages: diagnostics.list.map(formatDiagnostic),
  };
}
