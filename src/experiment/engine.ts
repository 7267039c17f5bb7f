/** What can carry out the runs of an experiment: the packet simulator, or real switch processes in a testbed. */
import type { EngineName, Experiment } from "./experiment.js";
import type { Series } from "./results.js";
import { runOnSimulator } from "./simulator.js";
import type { TestbedOptions } from "./testbed/options.js";

/** Called as runs complete: how many of how many, and of what. */
export type Progress = (done: number, total: number, what: string) => void;

export interface EngineContext {
  readonly progress: Progress;
  /** p4c-bm2-ss instead of our own compiler. */
  readonly p4c?: string;
  /** Of the engines `switch` and `bmv2`. */
  readonly testbed: TestbedOptions;
  /** Folder for logs, which stay when a run fails. */
  readonly folder: string;
}

export interface EngineOutcome {
  series: Series[];
  /** Generated programs, for example `pecmp/tor.p4`. */
  programs: { file: string; text: string }[];
  /** What a reader of the results must know of how they were made, one sentence each. */
  notes: string[];
}

export type Engine = (experiment: Experiment, seed: number, context: EngineContext) => Promise<EngineOutcome>;

/** A testbed is loaded only by who asks for it. */
const onTestbed =
  (engine: "switch" | "bmv2"): Engine =>
  async (experiment, seed, context) =>
    (await import("./testbed/run.js")).runOnTestbed(engine, experiment, seed, context);

export const ENGINE_OF_NAME: Readonly<Record<EngineName, Engine>> = {
  sim: runOnSimulator,
  switch: onTestbed("switch"),
  bmv2: onTestbed("bmv2"),
};
