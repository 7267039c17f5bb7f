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

/** The same with other names of files. */
export function renamed(
  { items, totals }: Coverage,
  sources: LoadedProgram["sources"],
  nameOf: (file: string) => string,
): Pick<CoveredSource, "found" | "sources"> {
  const placed = items.map((item) =>
    item.place === undefined
      ? item
      : { ...item, place: { ...item.place, filename: nameOf(item.place.filename) } },
  );
  return {
    found: { items: placed, totals },
    sources: new Map([...sources].map(([file, source]) => [nameOf(file), source])),
  };
}

/** One of the programs of an exercise or experiment, by the names that the command line may use. */
export interface NamedProgram extends CoveredSource {
  readonly names: readonly string[];
}

/**
 * Reports the programs of these names, all without a name. Fails for unknown names, and for outputs that are of one program where there are
 * several.
 * @param of what ran them, as the subject of a sentence in the plural
 */
export function reportPrograms(
  programs: readonly NamedProgram[],
  names: readonly string[],
  { of }: { readonly of: string },
  options: CoverageArguments,
  diagnostics: Diagnostics,
): number {
  const known = programs.flatMap((one) => one.names);
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined || known.length === 0)
    fail(
      CODES.wrongValue,
      undefined,
      wrong === undefined ? `${of} run no program` : `${wrong} is no program that ${of} run`,
      ...(known.length === 0 ? [] : [`they run ${known.join(", ")}`]),
    );
  const chosen = programs.filter(
    (one) => names.length === 0 || one.names.some((name) => names.includes(name)),
  );
  if (chosen.length > 1 && (options.json ?? options.html ?? options.lcov) !== undefined)
    fail(
      CODES.wrongValue,
      undefined,
      `${of} run several programs, and --json, --html and --lcov are of one`,
      `name one of ${known.join(", ")} after it`,
    );
  let status: number = EXIT.success;
  for (const one of chosen) {
    if (chosen.length > 1) process.stdout.write(`${one.path}\n`);
    status = Math.max(status, report(one, options, diagnostics));
  }
  return status;
}

/** Fails for options that have no meaning with what is covered. */
export function refuseOptions(
  options: CoverageArguments,
  names: readonly ("port" | "commands" | "p4info" | "seed")[],
  covered: string,
): void {
  for (const name of names)
    if (options[name] !== undefined)
      fail(CODES.wrongValue, undefined, `--${name} ${options[name]} has no meaning with ${covered}`);
  for (const name of ["I", "D", "U"] as const)
    if (options[name].length > 0)
      fail(CODES.wrongValue, undefined, `-${name} ${options[name][0]} has no meaning with ${covered}`);
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
