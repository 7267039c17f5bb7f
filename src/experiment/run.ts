/** Carries out an experiment and sums it up. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENGINE_OF_NAME, type EngineContext, type Progress, type TestbedOptions } from "./engine.js";
import type { EngineName, Experiment } from "./experiment.js";
import { type FullResults, rowOf, schemeNotes } from "./kinds/failover/results.js";
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
  /** Path of p4c-bm2-ss, which compiles the programs instead of our own compiler. */
  p4c?: string;
  testbed?: TestbedOptions;
  /** Once it is aborted, the run ends everything that it started and rejects with the signal's reason. */
  stop?: AbortSignal;
}

/** The context of an engine; `folder` is for logs. */
export function engineContext(options: RunOptions, folder: string): EngineContext {
  const { p4c, progress = () => {}, testbed = {}, stop = new AbortController().signal } = options;
  return { progress, testbed, folder, stop, ...(p4c === undefined ? {} : { p4c }) };
}

/**
 * All runs of an experiment. On the simulator the same experiment and seed give the same results, byte for byte; on
 * a testbed the same flows meet the same failures, but times are real.
 * Throws DiagnosticError for what is wrong with the experiment and shows only when it runs.
 */
export async function runExperiment(experiment: Experiment, options: RunOptions = {}): Promise<FullResults> {
  const { runs, out } = options;
  if (out !== undefined) checkFolder(out);
  const engine = options.engine ?? experiment.settings.engine;
  const seed = options.seed ?? experiment.settings.seed;
  const source =
    runs === undefined
      ? experiment
      : { ...experiment, schemes: experiment.schemes.map((scheme) => ({ ...scheme, runs })) };
  const folder = out ?? mkdtempSync(join(tmpdir(), "p4loom-run-"));
  try {
    const context = engineContext(options, folder);
    const { series, programs, notes, warnings, logs } = await ENGINE_OF_NAME[engine](source, seed, context);
    const results: FullResults = {
      experiment: experiment.settings.name,
      seed,
      engine,
      rows: series.map((one) => rowOf(source, one, engine)),
      notes: [...schemeNotes(source.schemes), ...notes],
      warnings,
      source,
      series,
      logs,
      programs,
    };
    if (out !== undefined) await writeResults(results, out);
    return results;
  } finally {
    if (out === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
