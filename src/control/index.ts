/**
 * What people write to steer a switch by hand, for any `Device`. `interpreter.ts` is the door: it runs statements a
 * line at a time, and keeps what they know beyond P4Runtime (handles of entries, multicast nodes). `shell/` has the
 * words of `p4loom shell`, `text/` the commands of simple_switch_CLI; `complete.ts` says what can stand at the cursor;
 * `runtime-file.ts` reads the tutorials' `sN-runtime.json`.
 */

export { commandHelp } from "./commands.js";
export { type Completion, completions } from "./complete.js";
export type { Output, Surroundings } from "./context.js";
export { Interpreter, runCommands } from "./interpreter.js";
export { type RuntimeFile, readRuntimeFile } from "./runtime-file.js";
