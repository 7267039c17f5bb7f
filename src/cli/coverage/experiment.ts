/** `p4loom coverage FILE.yaml`: what the packets of an experiment reach of the programs of its schemes, in the simulator. */
import { isAbsolute, relative } from "node:path";
import { DiagnosticError, Diagnostics, given } from "../../base/index.js";
import { loadExperimentWithOwn, RunCoverage } from "../../fabric/experiment/index.js";
import { coverageOf } from "../../toolchain/coverage/index.js";
import { EXIT, printDiagnostics, untilSignal } from "../outcome.js";
import { wholeNumberOr } from "../trace/trace-options.js";
import type { CoverageArguments } from "./coverage-options.js";
import { checkOutputs, refuseOptions, renamed, reportPrograms } from "./report.js";

export function isExperimentFile(path: string): boolean {
  return /\.ya?ml$/.test(path);
}

/** A user's own programs have absolute paths; generated ones are named `SCHEME/NAME.p4`. */
function shortName(file: string): string {
  return isAbsolute(file) ? relative(process.cwd(), file) : file;
}

/** @param names of programs, `SCHEME/NAME.p4`: of these alone; of all without a name */
export async function coverExperiment(
  path: string,
  names: readonly string[],
  options: CoverageArguments,
): Promise<number> {
  refuseOptions(options, ["port", "commands", "p4info"], "an experiment, which says what is sent");
  checkOutputs(options);
  const seed = options.seed === undefined ? undefined : wholeNumberOr("--seed", options.seed, 0, 0xffff_ffff);
  const diagnostics = new Diagnostics();
  const experiment = await loadExperimentWithOwn(path, diagnostics);
  if (experiment === undefined) throw new DiagnosticError(diagnostics.list);
  const coverage = new RunCoverage();
  // All jobs run in this process, which has the counts.
  const results = await untilSignal((stop) =>
    experiment.run({ engine: "sim", stop, coverage, ...given({ seed }) }),
  );
  if (typeof results === "number") return results;
  printDiagnostics(results.failures ?? []);
  const programs = coverage.programs.map(({ names: own, source, counts }) => ({
    names: own,
    path: own.join(", "),
    ...renamed(coverageOf(counts), new Map([[source.path, source]]), shortName),
  }));
  const status = reportPrograms(programs, names, { of: `the switches of ${path}` }, options, diagnostics);
  return results.failures === undefined ? status : EXIT.wrongInput;
}
