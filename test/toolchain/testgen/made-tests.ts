/** What tests of generated tests look at. */
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../../src/toolchain/stf/index.js";
import { type Generated, stfOf } from "../../../src/toolchain/testgen/index.js";

/** Messages of the tests that do not hold. */
export async function failing(program: Program, { tests }: Generated): Promise<string[]> {
  const messages: string[] = [];
  for (const test of tests) {
    const diagnostics = new Diagnostics();
    const commands = readStf(new SourceFile("test.stf", stfOf(test, "generated")), diagnostics);
    await runStf(commands, program, diagnostics);
    messages.push(...diagnostics.list.map(formatDiagnostic));
  }
  return messages;
}

/** Lines and texts of what no test reaches, of one kind or of all. */
export function missed({ coverage }: Generated, kind?: string): string[] {
  return coverage.items
    .filter((item) => item.hits === 0 && (kind === undefined || item.kind === kind))
    .map(({ place, text }) => `${place?.line} ${text}`);
}
