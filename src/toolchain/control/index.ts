/**
 * Statements with which people control a switch by hand, for any `Device`. Open `interpreter.ts` first: it runs statements
 * line by line, and keeps the state that P4Runtime does not have (handles of entries, multicast nodes). `shell/` has the
 * statements of `p4loom shell`, `text/` the commands of simple_switch_CLI. `complete.ts` finds the words that can follow
 * at the cursor. `runtime-file.ts` reads the tutorials' `sN-runtime.json`.
 */

export { type Completion, completions } from "./complete.js";
export type { Output, Surroundings } from "./context.js";
export { Interpreter, runCommands } from "./interpreter.js";
export { placeOf, type RuntimeFile, readRuntimeFile } from "./runtime-file.js";
export {
  deletionOf,
  digestLines,
  type Printer,
  packetText,
  statementOf,
  targetText,
} from "./shell/statements.js";
