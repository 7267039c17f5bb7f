/** `p4loom coverage FOLDER`: what the tests of an exercise reach of its solution. */
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Diagnostics } from "../../base/index.js";
import { type CoveredProgram, coverSolution } from "../../course/audit/index.js";
import { SOLUTION_FOLDER } from "../../course/exercises/index.js";
import { openExerciseFolder, testsOnThisMachine } from "../../course/submissions/index.js";
import { coverageOf } from "../../toolchain/coverage/index.js";
import type { CoverageArguments } from "./coverage-options.js";
import { type CoveredSource, checkOutputs, refuseOptions, renamed, reportPrograms } from "./report.js";

export function isExerciseFolder(path: string): boolean {
  return existsSync(join(path, "exercise.yaml"));
}

/** A solution runs in the place of the handed-in files: its places are those of the solution's own files. */
function reportOf(
  folder: string,
  handsIn: readonly string[],
  { path, counts, sources }: CoveredProgram,
): CoveredSource {
  const names = new Map(
    handsIn.map((name) => [resolve(folder, name), join(folder, SOLUTION_FOLDER, name)] as const),
  );
  const nameOf = (file: string): string =>
    names.get(resolve(file)) ?? join(folder, relative(resolve(folder), resolve(file)));
  return {
    path: handsIn.includes(path) ? join(folder, SOLUTION_FOLDER, path) : join(folder, path),
    ...renamed(coverageOf(counts), sources, nameOf),
  };
}

/** @param names of programs in the solution: of these alone; of all without a name */
export async function coverExercise(
  folder: string,
  names: readonly string[],
  options: CoverageArguments,
): Promise<number> {
  refuseOptions(options, ["port", "commands", "p4info", "seed"], "an exercise, whose tests say what is sent");
  checkOutputs(options);
  const diagnostics = new Diagnostics();
  const exercise = openExerciseFolder(folder, diagnostics);
  const covered = await coverSolution(exercise, testsOnThisMachine(exercise));
  const reports = covered.map((one) => ({
    names: [one.path],
    ...reportOf(folder, exercise.handsIn, one),
  }));
  return reportPrograms(reports, names, { of: `the tests of ${folder}` }, options, diagnostics);
}
