/** Runs the passes of an architecture. Each restricts what the program can contain; `--dump` shows it after each one. */
import { DiagnosticError, type Diagnostics } from "../../../base/index.js";
import type { IrProgram } from "./ir.js";
import { printProgram } from "./print.js";

export interface Pass {
  readonly name: string;
  readonly run: (program: IrProgram) => void;
}

/** Applies the passes in order until one reports an error; `dump` gets the program's text before the first and after each. */
export function applyPasses(
  program: IrProgram,
  passes: readonly Pass[],
  diagnostics: Diagnostics,
  dump?: (pass: string, text: string) => void,
): void {
  dump?.("elaborate", printProgram(program));
  for (const pass of passes) {
    try {
      pass.run(program);
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      for (const one of error.diagnostics) diagnostics.add(one);
      return;
    }
    dump?.(pass.name, printProgram(program));
  }
}
