/** The results of a single run, as its view and its files take them. */

import { writeFolder } from "../../../src/fabric/experiment/files.js";
import type { Kind, RunResults, SweepResults, Unit } from "../../../src/fabric/experiment/index.js";
import { resultsJson } from "../../../src/fabric/experiment/index.js";
import type { CheckedExperiment } from "../../../src/fabric/experiment/kinds/kind.js";
import { drawnFiles } from "../../../src/fabric/experiment/view/drawn-files.js";
import { rowsCsv } from "../../../src/fabric/experiment/view/parts.js";

type Shown<E extends CheckedExperiment, U extends Unit, O, R extends object> = Pick<
  Kind<never, E, U, O, R>,
  "units" | "rows" | "view"
>;

export function sweepOf<E extends CheckedExperiment, U extends Unit, O, R extends object>(
  { units, rows }: Shown<E, U, O, R>,
  { experiment: name, source, series, seed, engine, logs: _, ...results }: RunResults<E, O, R>,
): SweepResults<E, U, O, R> {
  const runs = { seeds: [seed], engine, namesSeeds: false };
  const own = units(source).map((unit, i) => {
    const outcomes = [series[i]!];
    return {
      ...{ unit, seeds: [seed], outcomes, logs: [undefined] },
      rows: rows(source, unit, outcomes, runs),
    };
  });
  const points = [{ values: {}, experiment: source, units: own }];
  return { ...results, ...runs, name, seed, keys: [], points };
}

/** Writes results as a run does. */
export async function writeResults<E extends CheckedExperiment, U extends Unit, O, R extends object>(
  kind: Shown<E, U, O, R>,
  results: RunResults<E, O, R>,
  out: string,
): Promise<void> {
  const programs = results.programs.map(({ file, text }): [string, string] => [`programs/${file}`, text]);
  const common: [string, string][] = [
    ["results.json", resultsJson(results)],
    ["results.csv", rowsCsv(results.rows)],
  ];
  writeFolder([...common, ...(await drawnFiles(kind.view, sweepOf(kind, results))), ...programs], out);
}
