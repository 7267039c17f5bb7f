/** Files that statements name. */
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { type Diagnostic, Diagnostics, fail, type Span } from "../../base/index.js";
import type { Program } from "../../program/index.js";
import { loadProgram } from "../switch/program.js";

/** Folders above a file that are looked through for what it names. */
const LEVELS = 3;

/**
 * A path of a file that names it: from the current folder, as exercises have it, else from the file's own folder or
 * one above it.
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
 * A program for a remote switch, which needs its P4Info; `report` is told the warnings. Fails with P40018 without a
 * P4Info, and with what is wrong in the files.
 */
export async function readProgram(
  path: string,
  from: Span | undefined,
  p4info: string | undefined,
  report: (warnings: readonly Diagnostic[]) => void,
): Promise<Program> {
  const diagnostics = new Diagnostics();
  const named = p4info === undefined ? {} : { p4info: find(p4info, from) };
  const source = { path: find(path, from), include: [], define: [], ...named };
  const program = await loadProgram(source, diagnostics);
  const missing = diagnostics.list.find(({ code }) => code === "P40018");
  if (missing !== undefined) fail("P40018", from, missing.message, ...missing.notes);
  report(diagnostics.list);
  return program;
}
