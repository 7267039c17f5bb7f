/**
 * Commands: those that start p4loom itself and its host agent, and one that is run to its end. Commands of labs, which may leave processes
 * in the background, have their own way in `testbed`.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { given } from "../../base/index.js";

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

export interface CommandOptions {
  /** Working folder; default: that of this process. */
  readonly cwd?: string;
  /** Where both outputs of the command go: into the result (default), to our standard error, or nowhere. */
  readonly output?: "kept" | "shown" | "ignored";
  /** Milliseconds after which it is ended; default: none. */
  readonly timeoutMs?: number;
}

export interface CommandEnd {
  /** Why it failed, in words; undefined where it ended with status 0. */
  readonly error: string | undefined;
  /** Empty unless they are kept. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Does not reject: `error` reports a missing program, a status or a signal. The command gets no input. */
export async function runCommand(
  [program, ...args]: readonly string[],
  { cwd, output = "kept", timeoutMs }: CommandOptions = {},
): Promise<CommandEnd> {
  // Loaded here: it takes as long to load as a short command runs, and most runs call no program.
  const { execa } = await import("execa");
  const stream = output === "kept" ? "pipe" : output === "shown" ? 2 : "ignore";
  const result = await execa(program!, args, {
    reject: false,
    stdin: "ignore",
    stdout: stream,
    stderr: stream,
    ...given({ cwd, timeout: timeoutMs }),
  });
  const { exitCode, signal, code, timedOut } = result;
  const [stdout = "", stderr = ""] = [result.stdout, result.stderr].map((text) => text as string | undefined);
  if (exitCode === 0) return { error: undefined, stdout, stderr };
  // The search of PATH ends with EACCES where it met a folder that it may not enter, and found the program nowhere.
  if (code === "ENOENT" || (code === "EACCES" && !program!.includes("/")))
    return { error: "no such program", stdout, stderr };
  if (timedOut) return { error: `not ended after ${timeoutMs} ms`, stdout, stderr };
  return { error: `status ${exitCode ?? signal ?? code}`, stdout, stderr };
}
