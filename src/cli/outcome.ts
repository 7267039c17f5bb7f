/**
 * How every command ends (ARCHITECTURE.md, "The command line"): 0 success; 1 the input is wrong; 2 wrong usage; 70 a
 * fault of ours. Diagnostics go to stderr, results to stdout or to files.
 */
import { type Diagnostic, DiagnosticError, diagnosticToJson, formatDiagnostic } from "../base/index.js";
import { version } from "./version.js";

export const EXIT = { success: 0, wrongInput: 1, wrongUsage: 2, ourFault: 70 } as const;

/** A value on the command line that its option cannot have: wrong usage, not wrong input. */
const WRONG_OPTION_VALUE = "P40005";

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

/** What a user should send us: the message and our own frames of the stack, without the paths of their machine. */
function describeFault(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const frames = (error instanceof Error ? (error.stack ?? "") : "")
    .split("\n")
    .map((line) => /at (?:(\S+) )?\(?.*[\\/]((?:dist|src)[\\/].*?:\d+:\d+)\)?$/.exec(line))
    .filter((match) => match !== null)
    .slice(0, 5)
    .map((match) => `    ${match[1] ?? "-"} ${match[2]}`);
  return [
    `p4loom: a fault of ours, not of your input: ${message}`,
    ...frames,
    `Please report these lines with the command and its input files (p4loom ${version}, node ${process.version}, ${process.platform}).`,
  ].join("\n");
}
