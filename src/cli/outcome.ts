/**
 * How every command ends (ARCHITECTURE.md, "Outputs"): 0 success; 1 the input is wrong; 2 wrong usage; 3 a limit ended
 * what would be a proof; 70 a fault of ours. Diagnostics go to stderr, results to stdout or to files.
 */
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { type Diagnostic, DiagnosticError, diagnosticToJson, formatDiagnostic } from "../base/index.js";
import { CODES } from "./codes.js";
import { version } from "./version.js";

export const EXIT = { success: 0, wrongInput: 1, wrongUsage: 2, bounded: 3, ourFault: 70 } as const;

/** A value on the command line that its option cannot have: wrong usage, not wrong input. */
const WRONG_OPTION_VALUE = CODES.wrongValue;

/** Prints diagnostics to stderr: as text, or as one JSON object a line. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], json = false): void {
  for (const diagnostic of diagnostics) {
    const text = json ? JSON.stringify(diagnosticToJson(diagnostic)) : formatDiagnostic(diagnostic);
    process.stderr.write(`${text}\n`);
  }
}

/** Runs the body of a command and sets the exit status; nothing that a command throws leaves here. */
export async function conclude(body: () => Promise<number>, jsonDiagnostics = false): Promise<void> {
  try {
    process.exitCode = await body();
  } catch (error) {
    if (error instanceof DiagnosticError) {
      printDiagnostics(error.diagnostics, jsonDiagnostics);
      const usage = error.diagnostics.every(({ code }) => code === WRONG_OPTION_VALUE);
      process.exitCode = usage ? EXIT.wrongUsage : EXIT.wrongInput;
    } else {
      process.stderr.write(`${describeFault(error)}\n`);
      process.exitCode = EXIT.ourFault;
    }
  }
}

/** A command line that the command does not take: the message with its code on stderr, and the exit status. */
export function wrongUsage(message: string): number {
  process.stderr.write(`${withUsageCode(message)}\n`);
  return EXIT.wrongUsage;
}

/** A message about the command line as a diagnostic; commander's own ones begin with `error: `. */
export const withUsageCode = (message: string): string =>
  `error[${CODES.wrongUsage}]: ${message.replace(/^error: /, "")}`;

/** The message of an internal error and its own stack frames, by places in `src/`, without the paths of the user's machine. */
function describeFault(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const frames = (error instanceof Error ? (error.stack ?? "") : "")
    .split("\n")
    .map((line) => /at (?:(\S+) )?\(?.*[\\/]((?:dist|src)[\\/].*?):(\d+):(\d+)\)?$/.exec(line))
    .filter((match) => match !== null)
    .slice(0, 5)
    .map(
      ([, name, file, line, column]) =>
        `    ${name ?? "-"} ${sourcePlace(file!, Number(line), Number(column))}`,
    );
  return [
    `p4loom: a fault of ours, not of your input: ${message}`,
    ...frames,
    `Please report these lines with the command and its input files (p4loom ${version}, node ${process.version}, ${process.platform}).`,
  ].join("\n");
}

/** A place in the bundle as the place in `src/` that it comes from; other places stay. Lines and columns from 1. */
function sourcePlace(file: string, line: number, column: number): string {
  const place = `${file}:${line}:${column}`;
  if (!file.endsWith("command.cjs")) return place;
  try {
    const map = readFileSync(new URL("./command.cjs.map", import.meta.url), "utf8");
    const entry = new SourceMap(JSON.parse(map)).findEntry(line - 1, column - 1);
    if (!("originalSource" in entry)) return place;
    const source = entry.originalSource.replace(/^(\.\.\/)+/, "");
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  } catch {
    // Without the map, the place in the bundle still says which function it was.
    return place;
  }
}

// Runs commands that must clean up when a signal ends them.

/** Exit status of a command that a signal ended: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * The value of `work`, or the exit status after a signal: then `work` was stopped and has cleaned up. `late` stops it too; then its
 * reason is thrown.
 */
export async function untilSignal<T>(
  work: (stop: AbortSignal) => Promise<T>,
  late?: AbortSignal,
): Promise<T | number> {
  const stop = new AbortController();
  let status: number | undefined;
  late?.addEventListener("abort", () => stop.abort(late.reason), { once: true });
  const handlers = (["SIGINT", "SIGTERM"] as const).map((signal) => {
    const handle = () => {
      status = SIGNALS[signal];
      stop.abort(new Error(signal));
    };
    process.on(signal, handle);
    return () => process.off(signal, handle);
  });
  try {
    return await work(stop.signal);
  } catch (error) {
    if (status === undefined) throw error;
    return status;
  } finally {
    for (const remove of handlers) remove();
  }
}
