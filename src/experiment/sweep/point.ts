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
  /** Steps that it reports; also how long it takes compared with others. */
  readonly steps: number;
}

/** What a job needs of the process that runs it. */
export interface JobContext {
  /** Path of p4c-bm2-ss, which then compiles the programs. */
  readonly p4c: string | undefined;
  /** What is watched beside the file's key `see`, and the name of its files. */
  readonly seeing: SeeingFolder & { readonly name: string };
  readonly stop: AbortSignal;
  /** The lab that the job makes; absent: it runs on the simulator. */
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

/** What a job yields, as JSON. */
export interface JobOutcome {
  readonly outcome: unknown;
  /** What its controllers logged, if it has any. */
  readonly log?: readonly string[];
  /** What a reader must know of how it was made, one sentence each. */
  readonly notes?: readonly string[];
}

/** A checked experiment: the file with the values of one point. */
export interface Point {
  readonly units: readonly PointUnit[];
  /** All that a unit's outcome depends on beside the seed, as text. */
  dependencies(unit: number): string;
  /** Throws DiagnosticError for what the experiment has and a lab with such switches has not. */
  checkOnLab(engine: SwitchEngine, stop: AbortSignal): Promise<void>;
  run(unit: number, seed: number, context: JobContext): Promise<JobOutcome>;
}

/** A point with what its units have yielded. */
export interface FinishedPoint {
  readonly values: Readonly<Record<string, unknown>>;
  readonly point: Point;
  /** For each unit, the seeds whose jobs ended well, with their outcomes as JSON. */
  readonly outcomes: readonly (readonly { readonly seed: number; readonly outcome: unknown }[])[];
}

/** What results are made of. */
export interface FinishedSweep {
  readonly name: string;
  readonly engine: EngineName;
  /** The file's seed, or the one that the user names instead. */
  readonly seed: number;
  readonly keys: readonly string[];
  readonly seeds: readonly number[];
  readonly points: readonly FinishedPoint[];
  /** What a reader must know of how the results were made, beside the notes of the schemes. */
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

/** What is printed and written. */
export interface SweepOutput {
  readonly json: string;
  readonly table: string;
  readonly notes: readonly string[];
  /** With those that the outcomes give reason for. */
  readonly warnings: readonly string[];
  readonly files: readonly (readonly [name: string, text: FileText])[];
}
