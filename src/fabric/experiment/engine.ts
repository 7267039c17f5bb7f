/** What engines (the packet simulator, and real switch processes in a testbed) are given and return. */
import type { NetworkKind, Omission } from "../testbed/index.js";
import type { SchemeLog } from "./control-plane.js";
import type { SeeingRequest } from "./seeing/request.js";

/** Called when a run completes: number of completed runs, number of all runs, and the name of the work. */
export type Progress = (done: number, total: number, what: string) => void;

/** Options of the engines `switch` and `bmv2` that are not in the experiment file. */
export interface TestbedOptions {
  /** Which program makes hosts and links. Default: `netns`, p4loom itself. */
  readonly network?: NetworkKind;
  /** Path of simple_switch_grpc; default: the one on PATH. */
  readonly bmv2?: string;
  /** Properties of links that the runs omit if the kernel cannot provide them. */
  readonly allowMissing?: ReadonlySet<Omission>;
  /** Capture every port of every switch. */
  readonly pcap?: boolean;
}

export interface EngineContext {
  readonly progress: Progress;
  /** Path of p4c-bm2-ss; if given, it compiles the programs. */
  readonly p4c?: string;
  readonly testbed: TestbedOptions;
  /** What is observed of the network in addition to the results. */
  readonly seeing?: SeeingRequest;
  /** Folder for logs and observations, which stay when a run fails. */
  readonly folder: string;
  /** When it is aborted, the engine ends all that it started and rejects with the signal's reason. */
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

/** `O`: the outcome of a unit. */
export interface EngineOutcome<O> {
  readonly series: readonly O[];
  /** Generated programs, for example `SCHEME/tor.p4`. */
  readonly programs: readonly { readonly file: string; readonly text: string }[];
  /** What a reader must know about how the results were made, one sentence each. */
  readonly notes: readonly string[];
  /** Logs of the controllers, for each scheme that has any. */
  readonly logs: readonly SchemeLog[];
  /** Why figures may not describe the network at all, one sentence each. */
  readonly warnings: readonly string[];
}

/** Reports progress over all units. */
export function counter(
  units: readonly { readonly steps: number }[],
  progress: Progress,
): { begin(what: string): void; step(what: string): void } {
  const total = units.reduce((sum, { steps }) => sum + steps, 0);
  let done = 0;
  return { begin: (what) => progress(done, total, what), step: (what) => progress(++done, total, what) };
}
