/** What `p4loom coverage` prints and writes of one program. */
import { type Diagnostics, fail } from "../../base/index.js";
import {
  type Coverage,
  coveragePage,
  coverageText,
  lcovText,
  percentOf,
} from "../../toolchain/coverage/index.js";
import { type LoadedProgram, type OutputFile, writeFiles } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { EXIT, printDiagnostics } from "../outcome.js";
import type { CoverageArguments } from "./coverage-options.js";

/** What is reported of one program. */
export interface CoveredSource {
  /** Of the program, as messages and pages name it. */
  readonly path: string;
  readonly found: Coverage;
  readonly sources: LoadedProgram["sources"];
}

/** Writes the files that the options ask for, and prints the result. Returns the exit status. */
export function report(
  { path, found, sources }: CoveredSource,
  options: CoverageArguments,
  diagnostics: Diagnostics,
): number {
  const { lcov, html } = options;
  checkLeast(path, found, leastOf(options), diagnostics);
  printDiagnostics(diagnostics.list, options.jsonDiagnostics);
  const outputs: OutputFile[] = [];
  if (lcov !== undefined && lcov !== "-") outputs.push({ path: lcov, content: lcovText(found) });
  if (html !== undefined) outputs.push({ path: html, content: coveragePage(path, found, sources) });
  writeFiles(outputs);
  process.stdout.write(textOf(path, found, options));
  return diagnostics.hasErrors ? EXIT.wrongInput : EXIT.success;
}

function checkLeast(
  path: string,
  { totals }: Coverage,
  least: number | undefined,
  diagnostics: Diagnostics,
): void {
  const percent = percentOf(totals.statement);
  if (least === undefined || percent >= least) return;
  diagnostics.error(
    CODES.coverage,
    undefined,
    `${path}: the packets reach ${percent.toFixed(1)} % of the statements; --min asks for ${least} %`,
    "the report lists what they do not reach",
  );
}

/** Before anything runs: fails for outputs that exclude each other, and for a `--min` that is no share. */
export function checkOutputs(options: CoverageArguments): void {
  if (options.lcov === "-" && options.json)
    fail(CODES.wrongValue, undefined, "--lcov - and --json together have no place on stdout");
  leastOf(options);
}

function leastOf({ min }: CoverageArguments): number | undefined {
  if (min === undefined) return undefined;
  const least = Number(min);
  if (!(/^\d+(\.\d+)?$/.test(min) && least <= 100))
    fail(CODES.wrongValue, undefined, `--min ${min}: not a number from 0 to 100`);
  return least;
}

function textOf(program: string, found: Coverage, { lcov, json }: CoverageArguments): string {
  if (lcov === "-") return lcovText(found);
  return json ? `${JSON.stringify({ program, ...found })}\n` : `${coverageText(found)}\n`;
}
