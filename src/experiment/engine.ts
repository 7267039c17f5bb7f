/** What engines, the packet simulator and real switch processes in a testbed, are given and yield. */
import type { NetworkKind, Omission } from "../testbed/index.js";
import type { SchemeLog } from "./control-plane.js";
import type { SeeingRequest } from "./seeing/request.js";

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
  /** What is watched of the network beside the results. */
  readonly seeing?: SeeingRequest;
  /** Folder for logs and for what is seen, which stay when a run fails. */
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

/** `O`: what a unit yields. */
export interface EngineOutcome<O> {
  readonly series: readonly O[];
  /** Generated programs, for example `SCHEME/tor.p4`. */
  readonly programs: readonly { readonly file: string; readonly text: string }[];
  /** What a reader of the results must know of how they were made, one sentence each. */
  readonly notes: readonly string[];
  /** Of the controllers, for each scheme that has any. */
  readonly logs: readonly SchemeLog[];
  /** Why figures may not be results of the network at all, one sentence each. */
  readonly warnings: readonly string[];
}

/** Reports progress over units. */
export function counter(
  units: readonly { readonly steps: number }[],
  progress: Progress,
): { begin(what: string): void; step(what: string): void } {
  const total = units.reduce((sum, { steps }) => sum + steps, 0);
  let done = 0;
  return { begin: (what) => progress(done, total, what), step: (what) => progress(++done, total, what) };
}
