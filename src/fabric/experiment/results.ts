/** The results of every kind of experiment, and their printed form. */
import type { Diagnostic } from "../../base/index.js";
import type { EngineName } from "./experiment.js";

/** What the controllers of one scheme logged. */
export interface SchemeLog {
  readonly label: string;
  readonly lines: readonly string[];
}

/** The text of a file, in parts where it may be longer than the longest string; or its bytes. */
export type FileText = string | Uint8Array | Iterable<string>;

/** Results of one point under one seed. */
export interface RunResults<E, O, R extends object> {
  readonly experiment: string;
  readonly seed: number;
  readonly engine: EngineName;
  readonly rows: readonly R[];
  /** What a reader must know about how the results were made, one sentence each. */
  readonly notes: readonly string[];
  /** Why figures may not describe the network at all, one sentence each. */
  readonly warnings: readonly string[];
  /** The checked experiment, as it ran. */
  readonly source: E;
  /** The outcomes of the units, in their order. */
  readonly series: readonly O[];
  /** Logs of the controllers, for each scheme that has any. */
  readonly logs: readonly SchemeLog[];
  /** Generated programs by file name, for example `SCHEME/tor.p4`. */
  readonly programs: readonly { readonly file: string; readonly text: string }[];
}

/** Results of a sweep: every point, its units, and the outcome of each unit under each seed. */
export interface SweepResults<E, U, O, R> {
  /** Name of the experiment. */
  readonly name: string;
  readonly engine: EngineName;
  /** The file's seed, or the one that the user gives in place of it. */
  readonly seed: number;
  /** Swept keys as the file writes them, in the order of the columns; empty for a file that sweeps seeds alone, or nothing. */
  readonly keys: readonly string[];
  /** All seeds of the sweep, in their order. */
  readonly seeds: readonly number[];
  /** Whether rows name their seeds: those of a single run do not. */
  readonly namesSeeds: boolean;
  /** In the order of the file: the last key varies first. */
  readonly points: readonly SweepPoint<E, U, O, R>[];
  /** Rows of all points. */
  readonly rows: readonly R[];
  readonly notes: readonly string[];
  /** Failed jobs, one sentence for each kind of failure, and why figures may mislead. */
  readonly warnings: readonly string[];
  /** Generated programs by file name, for example `SCHEME/tor.p4`. */
  readonly programs: readonly { readonly file: string; readonly text: string }[];
}

/** One assignment of values to the swept keys. */
export interface SweepPoint<E, U, O, R> {
  /** Value by swept key, as the file writes it. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly experiment: E;
  readonly units: readonly {
    readonly unit: U;
    /** Seeds whose job succeeded: all of the sweep, unless jobs failed. */
    readonly seeds: readonly number[];
    /** One outcome for each of `seeds`. */
    readonly outcomes: readonly O[];
    /** Log of the unit's controllers under each of `seeds`, if there is any. */
    readonly logs: readonly (readonly string[] | undefined)[];
    /** As in `results.json`: with the swept keys. */
    readonly rows: readonly R[];
  }[];
}

/** What is printed of results of any kind. */
export interface PrintedResults {
  /** The text of `results.json`. */
  readonly json: string;
  /** The rows as a table for a terminal, with the notes below it. */
  readonly table: string;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  /** Parts of the work that failed while the others continued: the results are incomplete. */
  readonly failures?: readonly Diagnostic[];
  /** There are no results yet: other parts of the work are not finished. `json` and `table` say which parts are. */
  readonly unfinished?: boolean;
}

/** A finished job. */
export interface PointRecord {
  /** Key of all that the job depends on. */
  readonly job: string;
  /** Values of the swept keys; like the following members up to `ms`, for people. */
  readonly point: Readonly<Record<string, unknown>>;
  readonly scheme: string;
  readonly unit: string;
  readonly seed: number;
  /** Wall time of the job in milliseconds. */
  readonly ms: number;
  readonly log?: readonly string[];
  /** What a reader of the results must know about how it was made. */
  readonly notes?: readonly string[];
  readonly outcome: unknown;
}

/** Part `index` of `count`, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}
