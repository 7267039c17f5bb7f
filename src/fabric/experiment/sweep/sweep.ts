/** A sweep that was read, and how its jobs run. */
import type { SourceFile } from "../../../base/index.js";
import type { StoppingRule } from "../../statistics/index.js";
import type { CommonSettings } from "../experiment.js";
import type { FinishedSweep, Point, SweepOutput } from "../kinds/kind.js";
import type { Shard } from "../results.js";
import type { SweepSpace } from "./space.js";

export interface SweepRunOptions {
  /** Number of worker processes. Absent: jobs run one after the other in this process, without limits of time and memory. */
  readonly workers?: number;
  /** Megabytes of heap of each worker; default: an equal share of most of the machine's memory. */
  readonly memoryMb?: number;
  /** Maximum time of a job on a worker, milliseconds. */
  readonly jobMs?: number;
  /** Reuses the finished jobs in the folder. */
  readonly resume?: boolean;
  /** Runs one part of the jobs. */
  readonly shard?: Shard;
  /**
   * `only`: runs nothing, and makes results of the finished jobs in the folder. `never`: leaves that to another call. Absent: the
   * call that finds all jobs finished makes the results.
   */
  readonly gather?: "only" | "never";
  /** Runs the jobs as an array job of Slurm. */
  readonly slurm?: SlurmOptions;
  /** Receives lines for people: which jobs run, run again, and are kept. */
  readonly tell?: (line: string) => void;
}

export interface SlurmOptions {
  /** Options of sbatch. */
  readonly options: readonly string[];
  /** Number of tasks of the array, at most one for each job. */
  readonly tasks: number;
  /** Words of the command line that each task gets in addition to its own: `--seed`, `--runs`, `--p4c`. */
  readonly repeat: readonly string[];
  /** Writes the script and does not submit it. */
  readonly dryRun: boolean;
  /** Milliseconds between two queries of the queue. */
  readonly pollMs?: number;
}

/** An experiment file as a sweep of its points. */
export interface Sweep {
  readonly source: SourceFile;
  /** Of the first point. */
  readonly settings: CommonSettings;
  readonly space: SweepSpace;
  /** A file without the key `sweep` that is one run, all or nothing: see `Kind.isOneRun`. */
  readonly isOneRun: boolean;
  /** The number of seeds of each point follows from its outcomes, by this rule. */
  readonly until?: StoppingRule;
  /** The point with this number, from 0, checked and for one use. Throws DiagnosticError. */
  point(number: number, runs?: number): Point;
  output(sweep: FinishedSweep): Promise<SweepOutput>;
  /** Throws DiagnosticError P43041 where there are more jobs than the user accepts; `each`: jobs for each point and seed. */
  checkNumber(each: number): void;
}

/** Units of a point under a seed. */
export interface JobOrder {
  readonly point: number;
  /** One, unless the file is a single run: then those of a scheme, or all on a testbed. */
  readonly units: readonly number[];
  readonly seed: number;
  /** Keys of the units, as the sweep has computed them; a worker that computes another one has read other files. */
  readonly keys: readonly string[];
}

export interface Job extends JobOrder {
  /** From 0; for an element of {@link SweepJobs.work} its index in that list. */
  readonly number: number;
  /** Name for people. */
  readonly name: string;
  /** Its weight compared with the others. */
  readonly steps: number;
}

export interface SweepJobs {
  readonly points: readonly Point[];
  readonly seeds: readonly number[];
  readonly jobs: readonly Job[];
  /**
   * Those of `jobs` that run: jobs with the same key are the same work. A scheme that does not depend on a swept parameter runs once for
   * all values of the parameter.
   */
  readonly work: readonly Job[];
}
