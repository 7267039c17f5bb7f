/** Where p4loom itself is: the commands that start it and its host agent. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The command that starts p4loom: the script that P4LOOM_COMMAND names, else the built one, else from the sources. */
export function ownCommand(): readonly string[] {
  const named = process.env["P4LOOM_COMMAND"];
  if (named !== undefined) return [process.execPath, named];
  return scriptCommand("cli/main.js", "cli/main.ts");
}

/**
 * The command that starts the agent of a host: the script that P4LOOM_AGENT names, else the built one, else from the
 * sources.
 */
export function agentCommand(): readonly string[] {
  const named = process.env["P4LOOM_AGENT"];
  if (named !== undefined) return [process.execPath, named];
  return scriptCommand("host-agent/main.cjs", "fabric/host-agent/main.ts");
}

/** `built` is below `dist`, `source` below `src`. */
function scriptCommand(built: string, source: string): readonly string[] {
  const compiled = fileURLToPath(new URL(`../../${built}`, import.meta.url));
  if (existsSync(compiled)) return [process.execPath, compiled];
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const written = fileURLToPath(new URL(`../../${source}`, import.meta.url));
  return [process.execPath, "--import", loader, written];
}
