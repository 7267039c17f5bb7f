/** What can carry out the runs of an experiment: today the packet simulator. */
import type { EngineName, Experiment } from "./experiment.js";
import type { Series } from "./results.js";
import { runOnSimulator } from "./simulator.js";

/** Called as runs complete: how many of how many, and of what. */
export type Progress = (done: number, total: number, what: string) => void;

export interface EngineOutcome {
  series: Series[];
  /** Generated programs, for example `pecmp/tor.p4`. */
  programs: { file: string; text: string }[];
}

export type Engine = (experiment: Experiment, seed: number, progress: Progress) => Promise<EngineOutcome>;

export const ENGINE_OF_NAME: Readonly<Record<EngineName, Engine>> = { sim: runOnSimulator };
