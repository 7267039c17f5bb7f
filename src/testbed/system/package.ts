/** Where p4loom itself is: the command that starts it, and the files beside its code. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The command that starts p4loom: the script that P4LOOM_COMMAND names, else the built one, else from the sources. */
export function ownCommand(): readonly string[] {
  const named = process.env["P4LOOM_COMMAND"];
  if (named !== undefined) return [process.execPath, named];
  const compiled = fileURLToPath(new URL("../../cli/main.js", import.meta.url));
  if (existsSync(compiled)) return [process.execPath, compiled];
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return [process.execPath, "--import", loader, compiled.replace(/\.js$/, ".ts")];
}

/** A file of the package, by its path from the package's folder. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}
