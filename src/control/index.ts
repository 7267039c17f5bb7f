/**
 * What people write to steer a switch by hand, for any `Device`. `interpreter.ts` is the door: it runs statements a
 * line at a time, and keeps what they know beyond P4Runtime (handles of entries, multicast nodes). `text/` has the
 * commands of simple_switch_CLI; `runtime-file.ts` reads the tutorials' `sN-runtime.json`.
 */
export type { Output, Surroundings } from "./context.js";
export { commandHelp, Interpreter, runCommands } from "./interpreter.js";
export { type RuntimeFile, readRuntimeFile } from "./runtime-file.js";
