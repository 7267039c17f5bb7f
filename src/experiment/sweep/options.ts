/** How the jobs of a sweep run, beside what every run is told. */
import type { Shard } from "./points-file.js";

export interface SweepRunOptions {
  /** Worker processes. Without it, jobs run one after the other in this process, where no limit of time and memory can be kept. */
  readonly workers?: number;
  /** Megabytes of heap of each worker; by default an equal share of the most of the machine's memory. */
  readonly memoryMb?: number;
  /** Milliseconds that a job may take on a worker. */
  readonly jobMs?: number;
  /** Takes over the finished jobs that the folder has. */
  readonly resume?: boolean;
  /** Runs one part of the jobs. */
  readonly shard?: Shard;
  /**
   * `only`: runs nothing, makes results of the finished jobs that the folder has. `never`: leaves that to another call. Without it, the
   * call that finds all jobs finished makes them.
   */
  readonly gather?: "only" | "never";
  /** Runs the jobs as an array job of Slurm. */
  readonly slurm?: SlurmOptions;
  /** Gets lines for people: what runs, what runs again, what is kept. */
  readonly tell?: (line: string) => void;
}

export interface SlurmOptions {
  /** Options of sbatch. */
  readonly options: readonly string[];
  /** Tasks of the array, at most one a job. */
  readonly tasks: number;
  /** The words of the command line that a task repeats beside those of its own: `--seed`, `--runs`, `--p4c`. */
  readonly repeat: readonly string[];
  /** Makes the script and does not submit it. */
  readonly dryRun: boolean;
  /** Milliseconds between two looks at the queue. */
  readonly pollMs?: number;
}
