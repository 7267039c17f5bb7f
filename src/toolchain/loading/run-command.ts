/** Runs a command to its end. Commands of labs, which may leave processes in the background, have their own way in `testbed`. */

import { given } from "../../base/index.js";

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
