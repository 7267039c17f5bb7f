/**
 * The passes from the elaborated program to the input of the emitters, in order. Each restricts
 * what the program can contain; `--dump` shows it after each one.
 */
import { DiagnosticError, type Diagnostics } from "../../../base/index.js";
import { dropOverwritten } from "./drop-overwritten.js";
import { expandAggregates } from "./expand-aggregates.js";
import { expandIndexes } from "./expand-indexes.js";
import { expandSwitches } from "./expand-switches.js";
import { groupActions } from "./group-actions.js";
import type { IrProgram } from "./ir.js";
import { lowerSlices } from "./lower-slices.js";
import { numberApplications } from "./number-applications.js";
import { printProgram } from "./print.js";
import { selectMasks } from "./select-masks.js";
import { settleArguments } from "./settle-arguments.js";
import { simplify } from "./simplify.js";
import { splitStates } from "./split-states.js";
import { unrollLoops } from "./unroll-loops.js";

interface Pass {
  name: string;
  run: (program: IrProgram) => void;
}

const passes: readonly Pass[] = [
  { name: "simplify", run: simplify },
  { name: "unroll-loops", run: unrollLoops },
  { name: "expand-switches", run: expandSwitches },
  { name: "expand-aggregates", run: expandAggregates },
  { name: "expand-indexes", run: expandIndexes },
  { name: "settle-arguments", run: settleArguments },
  { name: "simplify-again", run: simplify },
  { name: "lower-slices", run: lowerSlices },
  { name: "drop-overwritten", run: dropOverwritten },
  { name: "split-states", run: splitStates },
  { name: "select-masks", run: selectMasks },
  { name: "number-applications", run: numberApplications },
  { name: "group-actions", run: groupActions },
];

/** Applies all passes until one reports an error; `dump` gets the program's text before the first and after each. */
export function applyPasses(
  program: IrProgram,
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
