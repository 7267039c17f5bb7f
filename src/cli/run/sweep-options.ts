/** The options of `p4loom run` that say how the jobs of a sweep run. */

import { availableParallelism } from "node:os";
import { given } from "../../base/index.js";
import type { SweepRunOptions } from "../../fabric/experiment/index.js";
import type { RunArguments } from "./run-options.js";

/** A mistake on the command line. */
export class WrongUsage extends Error {}

/** Tasks of an array job unless the user says how many. */
const DEFAULT_TASKS = 64;

/** By option of the command line: those that mean something for sweeps alone. */
const NAMES: readonly (readonly [keyof RunArguments, string])[] = [
  ["workers", "--workers"],
  ["workerMemory", "--worker-memory"],
  ["jobTimeout", "--job-timeout"],
  ["resume", "--resume"],
  ["shard", "--shard"],
  ["gather", "--gather"],
  ["many", "--many"],
  ["slurm", "--slurm"],
  ["slurmOptions", "--slurm-options"],
  ["slurmTasks", "--slurm-tasks"],
  ["dryRun", "--dry-run"],
];

/** The options for sweeps that are given. */
export function sweepOptionsGiven(options: RunArguments): string[] {
  return NAMES.flatMap(([key, name]) => {
    if (options[key] === undefined) return [];
    return key === "gather" && options.gather === false ? ["--no-gather"] : [name];
  });
}

/** Throws {@link WrongUsage}. `tell`: receives lines for people. */
export function sweepRunOptions(options: RunArguments, tell: (line: string) => void): SweepRunOptions {
  const { resume, gather, slurm, slurmOptions, slurmTasks, dryRun } = options;
  const shard = shardOf(options.shard);
  const workers = wholeOf("--workers", options.workers, 1, 1024);
  const memoryMb = wholeOf("--worker-memory", options.workerMemory, 64, 1_000_000);
  const jobMs = durationOf("--job-timeout", options.jobTimeout);
  const tasks = wholeOf("--slurm-tasks", slurmTasks, 1, 100_000);
  if (slurm === undefined)
    for (const [given, name] of [
      [slurmOptions, "--slurm-options"],
      [slurmTasks, "--slurm-tasks"],
      [dryRun, "--dry-run"],
    ] as const)
      if (given !== undefined) throw new WrongUsage(`${name} goes with --slurm`);
  const exclusive = [slurm && "--slurm", shard && "--shard", gather && "--gather"].filter(
    (name) => typeof name === "string",
  );
  if (exclusive.length > 1) throw new WrongUsage(`${exclusive.join(" and ")} exclude each other`);
  if (gather && resume) throw new WrongUsage("--gather runs nothing: leave --resume out");
  if (gather === false && shard === undefined) throw new WrongUsage("--no-gather goes with --shard");
  return {
    workers: workers ?? availableParallelism(),
    ...given({ memoryMb, jobMs, resume, shard }),
    ...(gather === undefined ? {} : { gather: gather ? "only" : "never" }),
    ...(slurm === undefined
      ? {}
      : {
          slurm: {
            options: wordsOf(slurmOptions ?? ""),
            tasks: tasks ?? DEFAULT_TASKS,
            repeat: repeatedWords(options),
            dryRun: dryRun === true,
          },
        }),
    tell,
  };
}

/** Options that a task's own call of the command must also get. */
function repeatedWords({ seed, runs, p4c, workers, workerMemory, jobTimeout, many }: RunArguments): string[] {
  const values = { seed, runs, p4c, workers, "worker-memory": workerMemory, "job-timeout": jobTimeout };
  const words = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  return [...words, ...(many ? ["--many"] : [])];
}

function shardOf(text: string | undefined): SweepRunOptions["shard"] {
  if (text === undefined) return undefined;
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (index === undefined || shard.index < 1 || shard.index > shard.count)
    throw new WrongUsage(`--shard ${text}: expected i/n, part i of n from 1/n to n/n`);
  return shard;
}

function wholeOf(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new WrongUsage(`${name} ${text}: expected a whole number from ${least} to ${most}`);
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000 };

function durationOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit] = /^(\d+(?:\.\d+)?)(s|min|h)$/.exec(text) ?? [];
  const ms = Number(number) * UNITS_MS[unit ?? "s"]!;
  if (ms > 0) return ms;
  throw new WrongUsage(`${name} ${text}: expected a time such as 90s, 10min or 2h`);
}

/** Words between spaces; quotation marks keep spaces inside. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word);
}
