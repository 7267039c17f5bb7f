/** `p4loom coverage FOLDER`: what the tests of an exercise reach of its solution. */
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Diagnostics, fail } from "../../base/index.js";
import { type CoveredProgram, coverSolution } from "../../course/audit/index.js";
import { SOLUTION_FOLDER } from "../../course/exercises/index.js";
import { openExerciseFolder, testsOnThisMachine } from "../../course/submissions/index.js";
import { coverageOf } from "../../toolchain/coverage/index.js";
import { CODES } from "../codes.js";
import type { CoverageArguments } from "./coverage-options.js";
import { type CoveredSource, checkOutputs, report } from "./report.js";

export function isExerciseFolder(path: string): boolean {
  return existsSync(join(path, "exercise.yaml"));
}

/** Options of packets that the tests of an exercise bring themselves. */
const OF_PACKETS = ["port", "commands", "p4info", "seed"] as const;

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
  const { items, totals } = coverageOf(counts);
  const placed = items.map((item) =>
    item.place === undefined
      ? item
      : { ...item, place: { ...item.place, filename: nameOf(item.place.filename) } },
  );
  return {
    path: handsIn.includes(path) ? join(folder, SOLUTION_FOLDER, path) : join(folder, path),
    found: { items: placed, totals },
    sources: new Map([...sources].map(([file, source]) => [nameOf(file), source])),
  };
}

/** @param names of programs in the solution: of these alone; of all without a name */
export async function coverExercise(
  folder: string,
  names: readonly string[],
  options: CoverageArguments,
): Promise<number> {
  for (const name of OF_PACKETS)
    if (options[name] !== undefined)
      fail(
        CODES.wrongValue,
        undefined,
        `--${name} ${options[name]} has no meaning with an exercise, whose tests say what is sent`,
      );
  checkOutputs(options);
  const diagnostics = new Diagnostics();
  const exercise = openExerciseFolder(folder, diagnostics);
  const covered = await coverSolution(exercise, testsOnThisMachine(exercise));
  const known = covered.map(({ path }) => path);
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined || known.length === 0)
    fail(
      CODES.wrongValue,
      undefined,
      wrong === undefined
        ? `the tests of ${folder} run no program`
        : `${wrong} is no program of the solution that the tests of ${folder} run`,
      ...(known.length === 0 ? [] : [`they run ${known.join(", ")}`]),
    );
  const chosen = covered.filter(({ path }) => names.length === 0 || names.includes(path));
  if (chosen.length > 1 && (options.json ?? options.html ?? options.lcov) !== undefined)
    fail(
      CODES.wrongValue,
      undefined,
      `the tests of ${folder} run several programs, and --json, --html and --lcov are of one`,
      `name one of ${known.join(", ")} after the folder`,
    );
  const reports = chosen.map((one) => reportOf(folder, exercise.handsIn, one));
  let status = 0;
  for (const one of reports) {
    if (reports.length > 1) process.stdout.write(`${one.path}\n`);
    status = Math.max(status, report(one, options, diagnostics));
  }
  return status;
}
