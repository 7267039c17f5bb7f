/** Engines carry out the runs of an experiment: the packet simulator, or real switch processes in a testbed. */
import type { NetworkKind, Omission } from "../testbed/index.js";
import type { SchemeLog } from "./control-plane.js";
import type { EngineName, Experiment } from "./experiment.js";
import type { Series } from "./kinds/failover/results.js";
import { runOnSimulator } from "./simulator.js";

/** Called as runs complete: how many of how many, and of what. */
export type Progress = (done: number, total: number, what: string) => void;

/** Options of the engines `switch` and `bmv2` that are not in the experiment file. */
export interface TestbedOptions {
  /** Who makes hosts and links. Default: `netns`, p4loom itself. */
  readonly network?: NetworkKind;
  /** Path of simple_switch_grpc; default: the one on PATH. */
  readonly bmv2?: string;
  /** Properties of links that the runs may go without where the kernel cannot give them. */
  readonly allowMissing?: ReadonlySet<Omission>;
  /** Capture every port of every switch. */
  readonly pcap?: boolean;
}

export interface EngineContext {
  readonly progress: Progress;
  /** Path of p4c-bm2-ss, which then compiles the programs. */
  readonly p4c?: string;
  readonly testbed: TestbedOptions;
  /** Folder for logs, which stay when a run fails. */
  readonly folder: string;
  /** Once it is aborted, the engine ends what it started and rejects with its reason. */
  readonly stop: AbortSignal;
}

/**
 * For loops that keep the event loop busy: lets signals and timers of the process be handled about every 50 ms. The
 * returned function rejects with the reason of `stop`.
 */
export function breather(stop: AbortSignal): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < BREATH_INTERVAL_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    last = performance.now();
    stop.throwIfAborted();
  };
}

const BREATH_INTERVAL_MS = 50;

export interface EngineOutcome {
  series: Series[];
  /** Generated programs, for example `pecmp/tor.p4`. */
  programs: { file: string; text: string }[];
  /** What a reader of the results must know of how they were made, one sentence each. */
  notes: string[];
  /** Of the controllers, for each scheme that has any. */
  logs: SchemeLog[];
  /** Why figures may not be results of the network at all, one sentence each. */
  warnings: string[];
}

export type Engine = (experiment: Experiment, seed: number, context: EngineContext) => Promise<EngineOutcome>;

/** gRPC and the rest of a testbed are loaded only when one is used. */
const onTestbed =
  (engine: "switch" | "bmv2"): Engine =>
  async (experiment, seed, context) =>
    (await import("./kinds/failover/on-lab.js")).runOnTestbed(engine, experiment, seed, context);

export const ENGINE_OF_NAME: Readonly<Record<EngineName, Engine>> = {
  sim: runOnSimulator,
  switch: onTestbed("switch"),
  bmv2: onTestbed("bmv2"),
};
