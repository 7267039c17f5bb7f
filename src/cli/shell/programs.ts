/** Files that statements name. */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { type Diagnostic, Diagnostics, type Span } from "../../base/index.js";
import { loadProgram, withProject } from "../../toolchain/loading/index.js";
import type { Program } from "../../toolchain/program/index.js";

/** Maximum number of parent folders of a file that are searched for the files it names. */
const LEVELS = 3;

/**
 * Resolves a path that a file names: relative to the current folder, as in exercises, otherwise relative to the file's
 * folder or one of its parents.
 */
function find(path: string, from: Span | undefined): string {
  if (isAbsolute(path) || existsSync(path) || from === undefined) return path;
  let folder = dirname(from.file.path);
  for (let level = 0; level < LEVELS; level++) {
    const candidate = join(folder, path);
    if (existsSync(candidate)) return candidate;
    folder = join(folder, "..");
  }
  return path;
}

/**
 * A program for a remote switch, which needs its P4Info. `report` receives the warnings.
 * @throws DiagnosticError: P40018 at `from` without a P4Info, and the errors of the files
 */
export async function readProgram(
  path: string,
  from: Span | undefined,
  p4info: string | undefined,
  report: (warnings: readonly Diagnostic[]) => void,
): Promise<Program> {
  const diagnostics = new Diagnostics();
  const named = p4info === undefined ? {} : { p4info: find(p4info, from) };
  const files = { path: find(path, from), include: [], define: [], ...named };
  const { program } = await loadProgram(await withProject(files), diagnostics, "error", from);
  report(diagnostics.list);
  return program;
}
