/** The jobs of a sweep: every unit of every point under every seed, in the order of the results. */
import type { EngineName } from "../experiment.js";
import { jobKey } from "./dependencies.js";
import type { JobOrder } from "./messages.js";
import type { Point } from "./point.js";
import type { PointRecord, Shard } from "./points-file.js";
import type { Sweep } from "./sweep.js";
import { pointName } from "./words.js";

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
  { seed, runs, p4c, engine, breathe }: JobOptions,
): Promise<SweepJobs> {
  const { space } = sweep;
  sweep.checkNumber(sweep.point(0, runs).units.length);
  const seeds = space.seeds(seed);
  const points: Point[] = [];
  const jobs: Job[] = [];
  for (let number = 0; number < space.points; number++) {
    await breathe(number);
    const point = sweep.point(number, runs);
    points.push(point);
    const values = space.values(number);
    for (const [unit, { scheme, name, steps }] of point.units.entries()) {
      const dependencies = point.dependencies(unit);
      for (const one of seeds)
        jobs.push({
          number: jobs.length,
          point: number,
          unit,
          seed: one,
          job: jobKey(dependencies, one, p4c, engine),
          name: [pointName(values), scheme, name, `seed ${one}`].filter((word) => word !== "").join(", "),
          steps,
        });
    }
  }
  const seen = new Set<string>();
  const work = jobs.filter(({ job }) => !seen.has(job) && seen.add(job));
  return { points, seeds, jobs, work: work.map((job, number) => ({ ...job, number })) };
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
