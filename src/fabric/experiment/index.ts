/**
 * From an experiment file to results: {@link loadExperimentFile} reads and checks a file of any kind, builds the topology and
 * plans the schemes; running what it returns renders and compiles the programs, brings the fabric up on an engine, runs the
 * units of the kind, and writes tables, figures and a page. `kinds/` has a folder for each kind ({@link ExperimentKind}); {@link loadKind} and
 * {@link runKind} are the same with the types of one kind.
 */
import type { Diagnostics, SourceFile } from "../../base/index.js";
import { FAILOVER } from "./kinds/failover/index.js";
import type { FailoverResults } from "./kinds/failover/results.js";
import type { Experiment } from "./kinds/failover/schema.js";
import { withNotes } from "./kinds/registered-kind.js";
import type { Timeline } from "./kinds/timeline/check.js";
import type { TimelineResults } from "./kinds/timeline/flows.js";
import { TIMELINE } from "./kinds/timeline/index.js";
import { loadExperimentWithOwn, loadKind } from "./read.js";
import { type RunOptions, runKind } from "./run.js";
import { textTable } from "./view/parts.js";

export { applySettings, compileGenerated, queuesOfLinks, startGenerators } from "./boot.js";
export type { ControlPlane } from "./control-plane.js";
export { type CoveredRunProgram, RunCoverage } from "./coverage.js";
export type { SchemeRun } from "./experiment.js";
export { ENGINES, type EngineName, type MachineSettings, outputFolder } from "./experiment.js";
export { type DrawnFailure, FAILURES } from "./kinds/failover/failures.js";
export type { FailoverResults, Row, Sample, Series } from "./kinds/failover/results.js";
export { type Experiment, type ExperimentSettings, experimentSchema } from "./kinds/failover/schema.js";
export type {
  CheckContext,
  JobContext,
  Kind,
  Progress,
  Ran,
  RegisteredKind,
  Runner,
  SchemeUnit,
  SimulatorStage,
  TestbedOptions,
  TestbedSide,
  TestbedStage,
  Unit,
} from "./kinds/kind.js";
export { eachSeed, fromTopology, onFabric, register, resultsJson } from "./kinds/registered-kind.js";
export type { Timeline } from "./kinds/timeline/check.js";
export type { TimelineResults, TimelineRow } from "./kinds/timeline/flows.js";
export { loadNetworkOf, type NetworkOfFile } from "./network-of-file.js";
export { planeOver } from "./on-simulator.js";
export { type P4cFiles, runP4c } from "./p4c.js";
export { listFigures, type PaperFigures, paperFigures, type ShownFigure } from "./paper/figures.js";
export {
  type LoadedExperiment,
  type LoadOptions,
  loadAnyKind,
  loadExperimentFile,
  loadExperimentWithOwn,
  loadKind,
} from "./read.js";
export { type Rerun, rerun } from "./repeat/rerun.js";
export type {
  PrintedResults,
  RunResults,
  Shard,
  SweepPoint,
  SweepResults,
} from "./results.js";
export { type RunOptions, runKind } from "./run.js";
export type { SlurmOptions, SweepRunOptions } from "./sweep/sweep.js";

/** As {@link loadKind}, for the kind `failover`. */
export function loadExperiment(input: string | SourceFile, diagnostics: Diagnostics): Experiment | undefined {
  return loadKind(FAILOVER, input, diagnostics);
}

/** As {@link runKind}, for the kind `failover`. */
export function runExperiment(
  experiment: Experiment,
  options?: Omit<RunOptions, "sweep">,
): Promise<FailoverResults> {
  return runKind(FAILOVER, experiment, options);
}

/** As {@link loadKind}, for the kind `timeline`. */
export function loadTimeline(input: string | SourceFile, diagnostics: Diagnostics): Timeline | undefined {
  return loadKind(TIMELINE, input, diagnostics);
}

/** As {@link runKind}, for the kind `timeline`. */
export function runTimeline(
  timeline: Timeline,
  options?: Omit<RunOptions, "runs" | "sweep">,
): Promise<TimelineResults> {
  return runKind(TIMELINE, timeline, options);
}

/** The result table of the kind `failover` for a terminal, with the notes below it. */
export function formatResults({ rows, notes }: FailoverResults): string {
  return withNotes(textTable(FAILOVER.view.columns, rows), notes);
}

/** Runs jobs of a sweep as a worker process, until the process that started this one ends. */
export async function serveSweepJobs(): Promise<never> {
  const { serveSweep } = await import("./sweep/worker.js");
  return await serveSweep(async (source, diagnostics, options) => {
    return (await loadExperimentWithOwn(source, diagnostics, options))?.sweep;
  });
}
