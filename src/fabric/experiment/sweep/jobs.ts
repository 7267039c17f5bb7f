/** The jobs of a sweep: every unit of every point under every seed, in the order of the results; and the records that they leave. */

import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { DiagnosticError, fail, formatDiagnostic, given } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { EngineName } from "../experiment.js";
import type { JobContext, Point } from "../kinds/kind.js";
import type { SeeingFolder } from "../seeing/seeing.js";
import { jobKey } from "./dependencies.js";
import { fileWord, pointName } from "./space.js";
import type { Job, JobOrder, PointRecord, Shard, Sweep, SweepJobs } from "./sweep.js";

export interface JobOptions {
  readonly seed: number;
  readonly runs: number | undefined;
  readonly p4c: string | undefined;
  /** Default: the simulator. */
  readonly engine?: EngineName;
  /** Called for each point, before it is checked. */
  readonly breathe: (point: number) => Promise<void>;
}

/** Checks every point. Throws DiagnosticError for an error of a point, and P43041. */
export async function jobsOf(
  sweep: Sweep,
  { seed, runs, p4c, engine = "sim", breathe }: JobOptions,
): Promise<SweepJobs> {
  const { space } = sweep;
  const seeds = space.seeds(seed);
  const points: Point[] = [];
  const jobs: Job[] = [];
  for (let number = 0; number < space.points; number++) {
    await breathe(number);
    const point = sweep.point(number, runs);
    if (number === 0) sweep.checkNumber(point.units.length);
    points.push(point);
    const values = space.values(number);
    for (const units of sweep.isOneRun ? groupsOf(point, engine) : point.units.map((_, unit) => [unit])) {
      const dependencies = units.map((unit) => point.dependencies(unit));
      const { scheme, name } = point.units[units[0]!]!;
      for (const one of seeds)
        jobs.push({
          number: jobs.length,
          point: number,
          units,
          seed: one,
          keys: dependencies.map((text) => jobKey(text, one, p4c, engine)),
          name: [pointName(values), scheme, name, `seed ${one}`].filter((word) => word !== "").join(", "),
          steps: units.reduce((sum, unit) => sum + point.units[unit]!.steps, 0),
        });
    }
  }
  const seen = new Set<string>();
  const work = jobs.filter(({ keys }) => !seen.has(keys.join()) && seen.add(keys.join()));
  return { points, seeds, jobs, work: work.map((job, number) => ({ ...job, number })) };
}

/** The units of a single run: those of a scheme share its fabric; those of all schemes, a lab. */
function groupsOf({ units }: Point, engine: EngineName): number[][] {
  const numbers = [...units.keys()];
  if (engine !== "sim") return [numbers];
  const labels = new Set(units.map(({ scheme }) => scheme));
  return [...labels].map((label) => numbers.filter((unit) => units[unit]!.scheme === label));
}

/** The jobs of a shard. Neighbours in the list, which take about the same time, go to different shards. */
export function jobsOfShard(jobs: readonly Job[], shard: Shard | undefined): readonly Job[] {
  return shard === undefined ? jobs : jobs.filter(({ number }) => number % shard.count === shard.index - 1);
}

/** Sorts the longest jobs first, so that none of them runs alone at the end; by measured times of similar jobs where all have one. */
export function longestFirst(jobs: readonly Job[], known: ReadonlyMap<string, number>): Job[] {
  const times = jobs.map((job) => known.get(likeJob(job)));
  const length = times.every((time) => time !== undefined)
    ? (i: number) => times[i]!
    : (i: number) => jobs[i]!.steps;
  return jobs
    .map((job, i) => ({ job, length: length(i) }))
    .sort((a, b) => b.length - a.length)
    .map(({ job }) => job);
}

/** Jobs that differ only in the seed take about the same time: they have one name here. */
function likeJob({ name }: Pick<Job, "name">): string {
  return name.replace(/, seed \d+$/, "");
}

/** The same for a record. */
export function likeRecord({ point, scheme, unit }: PointRecord): string {
  return [pointName(point), scheme, unit].filter((word) => word !== "").join(", ");
}

/** What jobs need from the process that runs them. */
export interface JobMeans extends Pick<JobContext, "engine" | "p4c" | "compiled" | "testbed" | "stop"> {
  readonly seeing: SeeingFolder;
  /** Folder of the results. */
  readonly folder: string;
  /** The share of the job that is done, and the name of the work. */
  progress(share: number, what: string): void;
}

/**
 * Runs a job in this process. Returns its lines of the points file, one for each unit. Throws what the job throws; P43044 when a file has
 * changed since the sweep began.
 */
export async function recordsOfJob(
  sweep: Sweep,
  point: Point,
  { point: number, units: numbers, seed, keys }: JobOrder,
  { seeing, folder, progress, ...means }: JobMeans,
): Promise<string> {
  const started = performance.now();
  const { p4c, engine } = means;
  if (numbers.some((unit, i) => jobKey(point.dependencies(unit), seed, p4c, engine) !== keys[i]))
    fail(
      CODES.changedFile,
      undefined,
      `a file that ${sweep.source.path} uses has changed since the sweep began`,
      "run it again with --resume: jobs that do not depend on the change are kept",
    );
  const values = sweep.space.values(number);
  const units = numbers.map((unit) => point.units[unit]!);
  const { scheme: first, name } = units[0]!;
  const words = [pointName(values), first, name, `seed-${seed}`].filter(Boolean);
  const jobName = sweep.isOneRun ? undefined : fileWord(words.join("-"));
  const steps = units.reduce((sum, unit) => sum + unit.steps, 0);
  let done = 0;
  const { outcomes, logs, notes } = await point.run(numbers, {
    ...means,
    seed,
    seeing: { ...seeing, ...given({ name: jobName }) },
    folder: jobName === undefined ? folder : join(folder, "labs", jobName),
    progress(more, what) {
      done += more;
      progress(done / steps, what);
    },
  });
  const ms = Math.round(performance.now() - started);
  const records = units.map(({ scheme, name: unit }, i): PointRecord => {
    const isLast = units.findLastIndex((one) => one.scheme === scheme) === i;
    const log = isLast ? logs.find(({ label }) => label === scheme)?.lines : undefined;
    return {
      ...{ job: keys[i]!, point: values, scheme, unit, seed, ms },
      ...given({ log }),
      ...(i > 0 || notes.length === 0 ? {} : { notes }),
      outcome: outcomes[i],
    };
  });
  return records.map((record) => JSON.stringify(record)).join("\n");
}

/** Diagnostics as text; undefined for all other thrown values. */
export function diagnosticText(error: unknown): string | undefined {
  return error instanceof DiagnosticError ? error.diagnostics.map(formatDiagnostic).join("\n") : undefined;
}
