/** Puts results into a folder: all files or none. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { fail } from "../base/index.js";
import { renderReport } from "./report.js";
import type { FullResults, Results } from "./results.js";
import { resultsCsv, samplesCsv } from "./tables.js";

/** The text of `results.json`: only what {@link Results} names, in this order; `notes` where there are any. */
export function resultsJson({ experiment, seed, engine, rows, notes }: Results): string {
  const told = notes.length === 0 ? {} : { notes };
  return `${JSON.stringify({ experiment, seed, engine, ...told, rows }, null, 2)}\n`;
}

/**
 * Finds before the runs whether results can be written to a folder. Makes the folders above it. Throws
 * DiagnosticError P43011.
 */
export function checkFolder(folder: string): void {
  if (folder === "") fail("P43011", undefined, "the folder for the results has an empty name");
  const target = resolve(folder);
  try {
    mkdirSync(dirname(target), { recursive: true });
    if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === false)
      fail("P43011", undefined, `cannot write results to ${folder}: a file has that name`);
    rmdirSync(mkdtempSync(join(dirname(target), `.${basename(target)}-`)));
  } catch (error) {
    refuse(folder, error);
  }
}

function refuse(folder: string, error: unknown): never {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  const reason = `${code}${path === undefined ? "" : ` at ${path}`}`;
  fail("P43011", undefined, `cannot write results to ${folder}: ${reason}`);
}

/**
 * Writes `results.json`, `results.csv`, `samples.csv`, `recovery-cdf.svg`, `topology.svg`, `report.html` and the
 * generated programs under `programs/`, as {@link writeFolder} does.
 */
export async function writeResults(results: FullResults, folder: string): Promise<void> {
  const { html, cdfSvg, topologySvg } = await renderReport(results);
  const files: [name: string, text: string][] = [
    ["results.json", resultsJson(results)],
    ["results.csv", resultsCsv(results.rows)],
    ["samples.csv", samplesCsv(results.series)],
    ["recovery-cdf.svg", cdfSvg],
    ["topology.svg", topologySvg],
    ["report.html", html],
    ...results.programs.map(({ file, text }): [string, string] => [join("programs", file), text]),
  ];
  writeFolder(files, folder);
}

/**
 * Writes all files or none: everything beside the folder first, then moved into it; files of other names in the folder
 * stay. Throws DiagnosticError P43011 when the folder cannot be made, or a name leads out of it.
 */
export function writeFolder(files: readonly (readonly [name: string, text: string])[], folder: string): void {
  const target = resolve(folder);
  for (const [name] of files) {
    if (!resolve(target, name).startsWith(target.endsWith(sep) ? target : target + sep))
      fail("P43011", undefined, `cannot write results to ${folder}: ${name} leads out of it`);
  }
  try {
    const parent = dirname(target);
    mkdirSync(parent, { recursive: true });
    const draft = mkdtempSync(join(parent, `.${basename(target)}-`));
    try {
      for (const [name, text] of files) {
        mkdirSync(dirname(join(draft, name)), { recursive: true });
        writeFileSync(join(draft, name), text);
      }
      moveInto(draft, target);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  } catch (error) {
    refuse(folder, error);
  }
}

/** Moves what is in one folder into another; each file appears there whole or not at all. */
function moveInto(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, destination] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      moveInto(source, destination);
      rmdirSync(source);
    } else renameSync(source, destination);
  }
}
