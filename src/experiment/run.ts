/** Carries out an experiment and sums it up. */
import { ENGINE_OF_NAME, type Progress } from "./engine.js";
import type { EngineName, Experiment } from "./experiment.js";
import { type FullResults, rowOf } from "./results.js";
import { checkFolder, writeResults } from "./write.js";

export interface RunOptions {
  /** Instead of the file's engine. */
  engine?: EngineName;
  /** Instead of the file's seed. */
  seed?: number;
  /** Instead of the file's number of runs, for every scheme. */
  runs?: number;
  /** Folder for the results; without one nothing is written. */
  out?: string;
  progress?: Progress;
}

/**
 * All runs of an experiment. The same experiment, engine and seed give the same results, byte for byte.
 * Throws DiagnosticError for what is wrong with the experiment and shows only when it runs.
 */
export async function runExperiment(experiment: Experiment, options: RunOptions = {}): Promise<FullResults> {
  const { runs, out, progress = () => {} } = options;
  if (out !== undefined) checkFolder(out);
  const engine = options.engine ?? experiment.settings.engine;
  const seed = options.seed ?? experiment.settings.seed;
  const source =
    runs === undefined
      ? experiment
      : { ...experiment, schemes: experiment.schemes.map((scheme) => ({ ...scheme, runs })) };
  const { series, programs } = await ENGINE_OF_NAME[engine](source, seed, progress);
  const results: FullResults = {
    experiment: experiment.settings.name,
    seed,
    engine,
    rows: series.map((one) => rowOf(source, one)),
    source,
    series,
    programs,
  };
  if (out !== undefined) await writeResults(results, out);
  return results;
}
