/** The pipeline under all kinds: an engine brings up each scheme, units run on it, rows and files come out. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, given, type Span } from "../../base/index.js";
import { CODES } from "./codes.js";
import { logFiles } from "./control-plane.js";
import type { EngineContext, EngineOutcome, Progress, TestbedOptions } from "./engine.js";
import type { EngineName, FabricExperiment, FabricSettings } from "./experiment.js";
import type { LabSide, RunKind, Unit } from "./kinds/kind.js";
import { type RunResults, resultsJson, type SweepResults, schemeNotes } from "./results.js";
import { type SeeingRequest, seeingOf } from "./seeing/request.js";
import type { SweepRunOptions } from "./sweep/options.js";
import { rowsCsv } from "./view/csv.js";
import { drawnFiles } from "./view/draw.js";
import { checkFolder, writeFolder } from "./write.js";

export interface RunOptions {
  /** In place of the file's engine. */
  engine?: EngineName;
  /** In place of the file's seed. */
  seed?: number;
  /** In place of the file's number of runs, for every scheme; for kinds that have runs. */
  runs?: number;
  /** Folder for the results; without one nothing is written. */
  out?: string;
  progress?: Progress;
  /** Path of p4c-bm2-ss, which compiles the programs instead of our own compiler. */
  p4c?: string;
  testbed?: TestbedOptions;
  /** What is observed in addition to the file's key `see`; needs a folder for results. */
  seeing?: Partial<SeeingRequest>;
  /** How the jobs of a sweep run. */
  sweep?: SweepRunOptions;
  /** When it is aborted, the run ends everything that it started and rejects with the signal's reason. */
  stop?: AbortSignal;
}

/**
 * Runs all units of an experiment. On the simulator the same experiment and seed give the same results, byte for byte; on a
 * testbed the flows and failures are the same, but times are real.
 * Throws DiagnosticError for errors of the experiment that only a run finds.
 */
export async function runKind<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
>(kind: RunKind<V, E, U, O, R, P>, experiment: E, options: RunOptions = {}): Promise<RunResults<E, O, R>> {
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
    const outcome = await onEngine(kind, source, engine, seed, contextOf(options, folder, experiment));
    const { series, programs, notes, warnings, logs } = outcome;
    const results: RunResults<E, O, R> = {
      experiment: experiment.settings.name,
      seed,
      engine,
      rows: series.flatMap((one) => kind.rows(source, one, engine)),
      notes: [...schemeNotes(source.schemes), ...notes],
      warnings,
      source,
      series,
      logs,
      programs,
    };
    if (out !== undefined) await writeResults(kind, results, out);
    return results;
  } finally {
    if (out === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the files of all kinds and those of this one, as {@link writeFolder} does. */
export async function writeResults<E extends FabricExperiment, U extends Unit, O, R extends object>(
  kind: Pick<RunKind<never, E, U, O, R, never>, "units" | "rows" | "view">,
  results: RunResults<E, O, R>,
  folder: string,
): Promise<void> {
  writeFolder(
    [
      ["results.json", resultsJson(results)],
      ["results.csv", rowsCsv(results.rows)],
      ...(await drawnFiles(kind.view, sweepOf(kind, results))),
      ...logFiles(results.logs),
      ...results.programs.map(({ file, text }): [string, string] => [join("programs", file), text]),
    ],
    folder,
  );
}

/** A run as a sweep of one point. */
export function sweepOf<E extends FabricExperiment, U extends Unit, O, R extends object>(
  { units, rows }: Pick<RunKind<never, E, U, O, R, never>, "units" | "rows">,
  {
    experiment: name,
    seed,
    engine,
    notes,
    warnings,
    programs,
    source,
    series,
    rows: all,
  }: RunResults<E, O, R>,
): SweepResults<E, U, O, R> {
  const point = {
    values: {},
    experiment: source,
    units: units(source).map((unit, i) => ({
      unit,
      seeds: [seed],
      outcomes: [series[i]!],
      rows: rows(source, series[i]!, engine),
    })),
  };
  return {
    name,
    seed,
    engine,
    keys: [],
    seeds: [seed],
    points: [point],
    rows: all,
    notes,
    warnings,
    programs,
  };
}

/** `folder` is for logs. */
function contextOf(options: RunOptions, folder: string, { settings }: FabricExperiment): EngineContext {
  const seeing = seeingOf(settings.see, options.seeing);
  const { p4c, progress = () => {}, testbed = {}, stop = new AbortController().signal } = options;
  return {
    progress,
    testbed,
    folder,
    stop,
    ...given({ p4c, seeing }),
  };
}

/** The compiler, the switch, gRPC and the rest of a testbed are loaded only when a run needs them. */
async function onEngine<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
>(
  kind: RunKind<V, E, U, O, R, P>,
  experiment: E,
  engine: EngineName,
  seed: number,
  context: EngineContext,
): Promise<EngineOutcome<O>> {
  if (engine === "sim") {
    const { runOnSimulator } = await import("./on-simulator.js");
    return await runOnSimulator(kind, experiment, seed, context);
  }
  if (context.seeing !== undefined) refuseSeeing(engine, experiment.locate(["see"]));
  const { runOnLab } = await import("./testbed/run.js");
  const lab = await labOf(kind, experiment, engine);
  return await runOnLab({ units: kind.units, lab }, experiment, engine, seed, context);
}

/** Throws DiagnosticError P43081. */
export function refuseSeeing(engine: EngineName, span?: Span): never {
  fail(
    CODES.seeingOnTestbed,
    span,
    `engine ${engine} does not trace flows, capture single links or write a timeline page of the run`,
    "the page and the traces need the lengths of queues and the flow of each packet, which real switches do not report",
    "run it on the simulator; on a testbed --pcap alone captures every port of every switch",
  );
}

/** How a kind runs on real switches. Fails with P43019 where it does not. */
export async function labOf<E extends FabricExperiment, U extends Unit, O, P>(
  { lab, name }: { readonly lab: (() => Promise<LabSide<E, U, O, P>>) | undefined; readonly name: string },
  { locate }: FabricExperiment,
  engine: EngineName,
): Promise<LabSide<E, U, O, P>> {
  if (lab === undefined)
    fail(
      CODES.simulatorOnly,
      locate(["engine"]),
      `experiments of the kind ${name} do not run on engine ${engine}`,
      "run it on the simulator: --engine sim",
    );
  return await lab();
}
