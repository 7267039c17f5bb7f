/**
 * From an experiment file to a report: {@link loadExperiment} reads and checks the file, builds the topology and
 * plans the schemes; {@link runExperiment} renders and compiles the programs, boots the fabric on an engine and makes the
 * runs; {@link writeResults} writes table, figures and report; {@link formatResults} prints the table. A file that lists
 * its flows and faults itself is a {@link Timeline}: {@link loadTimeline}, {@link runTimeline}.
 */
export type { Engine, EngineContext, EngineOutcome, Progress, TestbedOptions } from "./engine.js";
export {
  ENGINES,
  type EngineName,
  type Experiment,
  type ExperimentSettings,
  experimentSchema,
  outputFolder,
  type SchemeRun,
  type Timeline,
} from "./experiment.js";
export { type DrawnFailure, FAILURES } from "./faults/drawn-failures.js";
export {
  type FullResults,
  formatResults,
  type Results,
  type Row,
  type Sample,
  type Series,
} from "./kinds/failover/results.js";
export { timeOfTry } from "./kinds/failover/theory.js";
export type { TimelineRow } from "./kinds/timeline/flows.js";
export { formatTimeline, runTimeline, type TimelineResults, timelineJson } from "./kinds/timeline/run.js";
export { loadExperiment, loadExperimentFile, loadTimeline } from "./load.js";
export { type P4cFiles, runP4c } from "./p4c.js";
export { type RunOptions, runExperiment } from "./run.js";
export { resultsJson, writeResults } from "./write.js";
