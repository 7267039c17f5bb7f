/**
 * `p4loom/experiment`: experiment files of every kind, read, run (simulator, our switch, BMv2) and written as results. Pages:
 * docs/experiments.md and docs/sweep.md.
 */
export { DiagnosticError, Diagnostics, formatDiagnostic, SourceFile } from "../base/index.js";
export {
  type Experiment,
  type FailoverResults,
  formatResults,
  type LoadedExperiment,
  type LoadOptions,
  loadExperiment,
  loadExperimentFile,
  loadExperimentWithOwn,
  loadTimeline,
  type RunOptions,
  type RunResults,
  runExperiment,
  runTimeline,
  type SweepRunOptions,
  type TimelineResults,
} from "../fabric/experiment/index.js";
