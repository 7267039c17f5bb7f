/** What engines (the packet simulator, and real switch processes in a testbed) are given. */
import type { NetworkKind, Omission } from "../testbed/index.js";

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
