/**
 * The programs as users run them, `dist/cli/main.js` and the agent of a host, built again when a source is newer. Tests start
 * them as processes; they start several times faster than the sources do.
 */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Path of the command's script for Node. */
export const COMMAND = join(root, "dist/cli/main.js");

/** Path of the agent's script. */
const AGENT = join(root, "dist/host-agent/main.cjs");

const { status, stderr } = spawnSync(process.execPath, ["tools/build-command.mjs", "--if-stale"], {
  cwd: root,
  encoding: "utf8",
});
if (status !== 0) throw new Error(`the programs cannot be built: ${stderr}`);

// Labs start their switches and agents with these too.
process.env["P4LOOM_COMMAND"] = COMMAND;
process.env["P4LOOM_AGENT"] = AGENT;
