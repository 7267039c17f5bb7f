/** A point of a sweep, and its results, without the types of its kind. */
import type { SwitchEngine } from "../../testbed/index.js";
import type { TestbedOptions } from "../engine.js";
import type { EngineName } from "../experiment.js";
import type { SeeingFolder } from "../seeing/seeing.js";
import type { FileText } from "../write.js";

/** A unit of an experiment: under each seed it is a job. */
interface PointUnit {
  /** Label of its scheme. */
  readonly scheme: string;
  /** Unique within its scheme. */
  readonly name: string;
  /** Number of steps that it reports; also its weight compared with others. */
  readonly steps: number;
}

/** What a job needs from the process that runs it. */
export interface JobContext {
  /** Path of p4c-bm2-ss; if given, it compiles the programs. */
  readonly p4c: string | undefined;
  /** What is observed in addition to the file's key `see`, and the name of its files. */
  readonly seeing: SeeingFolder & { readonly name: string };
  readonly stop: AbortSignal;
  /** The lab that the job creates; absent: it runs on the simulator. */
  readonly lab?: JobLab;
  /** A step of the unit is done. */
  step(): void;
}

/** How a job runs on real switches. */
export interface JobLab {
  readonly engine: SwitchEngine;
  readonly testbed: TestbedOptions;
  /** For its logs. */
  readonly folder: string;
}

/** The outcome of a job, as JSON. */
export interface JobOutcome {
  readonly outcome: unknown;
  /** Log of its controllers, if it has any. */
  readonly log?: readonly string[];
  /** What a reader must know about how it was made, one sentence each. */
  readonly notes?: readonly string[];
}

/** A checked experiment: the file with the values of one point. */
export interface Point {
  readonly units: readonly PointUnit[];
  /** All that a unit's outcome depends on except the seed, as text. */
  dependencies(unit: number): string;
  /** Throws DiagnosticError for what the experiment needs and a lab with such switches does not have. */
  checkOnLab(engine: SwitchEngine, stop: AbortSignal): Promise<void>;
  run(unit: number, seed: number, context: JobContext): Promise<JobOutcome>;
}

/** A point with the outcomes of its units. */
export interface FinishedPoint {
  readonly values: Readonly<Record<string, unknown>>;
  readonly point: Point;
  /** For each unit, the seeds whose jobs succeeded, with their outcomes as JSON. */
  readonly outcomes: readonly (readonly { readonly seed: number; readonly outcome: unknown }[])[];
}

/** Input for the results of a sweep. */
export interface FinishedSweep {
  readonly name: string;
  readonly engine: EngineName;
  /** The file's seed, or the one that the user gives in place of it. */
  readonly seed: number;
  readonly keys: readonly string[];
  readonly seeds: readonly number[];
  readonly points: readonly FinishedPoint[];
  /** What a reader must know about how the results were made, in addition to the notes of the schemes. */
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

/** Printed and written results. */
export interface SweepOutput {
  readonly json: string;
  readonly table: string;
  readonly notes: readonly string[];
  /** Including warnings from the outcomes. */
  readonly warnings: readonly string[];
  readonly files: readonly (readonly [name: string, text: FileText])[];
}
