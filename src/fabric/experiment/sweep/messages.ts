/** Messages between a sweep and its worker processes, as JSON over the channel that Node opens between them. */

import type { SeeingFolder } from "../seeing/seeing.js";
import type { JobOrder } from "./sweep.js";

/** Data of the sweep for a worker. */
export interface WorkerStart {
  /** The experiment file: its path, and its text as the sweep has read it. */
  readonly path: string;
  readonly text: string;
  readonly runs?: number;
  readonly p4c?: string;
  /** What is observed in addition to the file's key `see`, and the folder for it. */
  readonly seeing: SeeingFolder;
}

export type ToWorker =
  | ({ readonly type: "start" } & WorkerStart)
  | { readonly type: "job"; readonly order: JobOrder };

export type FromWorker =
  | { readonly type: "ready" }
  /** Sent every second, so that a loop without an end is noticed. */
  | { readonly type: "alive" }
  | { readonly type: "progress"; readonly share: number }
  /** `line`: the records of the job. */
  | { readonly type: "done"; readonly line: string }
  /** Diagnostics, as text. */
  | { readonly type: "wrong"; readonly text: string }
  /** Any other thrown value. */
  | { readonly type: "threw"; readonly text: string };

/** Milliseconds between two {@link FromWorker} messages of the type `alive`. */
export const ALIVE_INTERVAL_MS = 1000;
