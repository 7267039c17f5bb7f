/**
 * The command as users run it, `dist/cli/main.js`, built anew when a source is newer. Tests start it as a process; it
 * starts several times faster than the sources do.
 */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Path of the command's script for Node. */
export const COMMAND = join(root, "dist/cli/main.js");

const { status, stderr } = spawnSync(process.execPath, ["tools/build-command.mjs", "--if-stale"], {
  cwd: root,
  encoding: "utf8",
});
if (status !== 0) throw new Error(`the command cannot be built: ${stderr}`);

// Labs start their switches with this command too.
process.env["P4LOOM_COMMAND"] = COMMAND;
