/** Programs before and after a change: as the embedded switch runs them, and beside each other. */
import { Diagnostics, type SourceFile } from "../../../src/base/index.js";
import { compareByPackets } from "../../../src/toolchain/advice/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";

/** The program of a text, compiled for the switch. Throws its compile errors. */
export function runs(file: SourceFile | string): Program {
  const diagnostics = new Diagnostics();
  const made = compile({ file, form: "switch" }, diagnostics);
  diagnostics.throwIfErrors();
  return made!.program;
}

/** What packets show of two texts. */
export const compared = (a: SourceFile | string, b: SourceFile | string) =>
  compareByPackets(runs(a), runs(b), { packets: 256, seed: 3 });
