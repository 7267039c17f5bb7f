/** `p4loom run`: carries out an experiment file, prints the table, writes the results. */
import { DiagnosticError, Diagnostics } from "../base/index.js";
import {
  ENGINES,
  type EngineName,
  formatResults,
  loadExperiment,
  outputFolder,
  resultsJson,
  runExperiment,
} from "../experiment/index.js";
import type { RunOptions } from "./main.js";
import { EXIT, printDiagnostics } from "./outcome.js";
import { progressLine } from "./progress.js";

export async function run(file: string, options: RunOptions): Promise<number> {
  const seed = wholeNumber(options.seed, 0, 0xffff_ffff);
  const runs = wholeNumber(options.runs, 1, 1_000_000);
  if (options.engine !== undefined && !(ENGINES as readonly string[]).includes(options.engine)) {
    return usage(`--engine ${options.engine}: expected ${ENGINES.join(", ")}`);
  }
  if (seed === "wrong") return usage(`--seed ${options.seed}: expected a whole number below 2^32`);
  if (runs === "wrong") return usage(`--runs ${options.runs}: expected a whole number from 1 to 1000000`);

  const diagnostics = new Diagnostics();
  const experiment = loadExperiment(file, diagnostics);
  if (experiment === undefined) throw new DiagnosticError(diagnostics.list);
  printDiagnostics(diagnostics.list);

  const out = options.out ?? outputFolder(experiment);
  const line = progressLine();
  const results = await runExperiment(experiment, {
    ...(options.engine === undefined ? {} : { engine: options.engine as EngineName }),
    ...(seed === undefined ? {} : { seed }),
    ...(runs === undefined ? {} : { runs }),
    out,
    progress: line.show,
  }).finally(line.clear);
  process.stdout.write(options.json ? resultsJson(results) : `${formatResults(results)}\n`);
  process.stderr.write(`results.json, figures and report.html are in ${out}\n`);
  return EXIT.success;
}

function wholeNumber(text: string | undefined, least: number, most: number): number | "wrong" | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : "wrong";
}

function usage(message: string): number {
  process.stderr.write(`p4loom run: ${message}\n`);
  return EXIT.wrongUsage;
}
