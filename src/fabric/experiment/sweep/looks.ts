/**
 * Which jobs of a sweep are wanted where a rule decides the number of seeds (`until`): the outcomes of the seeds so far say whether a point needs
 * more. The answer depends on the records alone, so that one process, shards, and Slurm stop at the same seed. All units of a point run under
 * the same seeds: their differences are those of pairs with common random numbers.
 */
import { defined } from "../../../base/index.js";
import { samplesWanted } from "../../statistics/index.js";
import type { PointRecord } from "../results.js";
import type { SweepJobs } from "./sweep.js";

/** Jobs up to the seed at which each point stops, or up to the next look where outcomes are missing. Without a rule, all. */
export function wantedJobs(
  made: SweepJobs,
  records: ReadonlyMap<string, Pick<PointRecord, "outcome">>,
): SweepJobs {
  const { points, seeds, jobs, work } = made;
  if (points.every(({ until }) => until === undefined)) return made;
  const keys = points.map(({ units }) => units.map((): string[] => []));
  for (const { point, units, keys: own } of jobs)
    for (const [i, unit] of units.entries()) defined(defined(keys[point])[unit]).push(defined(own[i]));
  const counts = points.map(({ until, units }, point) => {
    if (until === undefined) return seeds.length;
    const figures = units.map((_, unit) =>
      lazily(keysOf(keys, point, unit), (key) => {
        const record = records.get(key);
        return record && { value: until.figure(unit, record.outcome) };
      }),
    );
    return samplesWanted(until.rule, units.length, (unit, count) => defined(figures[unit])(count)).count;
  });
  const isWanted = new Set<string>();
  const wanted = jobs.filter(({ point, seed, keys: own }) => {
    if (seeds.indexOf(seed) >= defined(counts[point])) return false;
    for (const key of own) isWanted.add(key);
    return true;
  });
  return {
    points,
    seeds: seeds.slice(0, Math.max(...counts)),
    jobs: wanted,
    // Numbers of jobs stay as they are: they decide the shard of a job.
    work: work.filter(({ keys: own }) => own.some((key) => isWanted.has(key))),
  };
}

function keysOf(keys: readonly (readonly string[])[][], point: number, unit: number): readonly string[] {
  return defined(defined(keys[point])[unit]);
}

/** The figures of the first n keys that have one; undefined where one of these keys has no record. Each record is read once. */
function lazily(
  keys: readonly string[],
  read: (key: string) => { readonly value: number | undefined } | undefined,
): (count: number) => readonly number[] | undefined {
  const known: number[] = [];
  let seen = 0;
  const ends: number[] = [0];
  return (count) => {
    for (; seen < count; seen++) {
      const one = read(defined(keys[seen]));
      if (one === undefined) return undefined;
      if (one.value !== undefined) known.push(one.value);
      ends.push(known.length);
    }
    return known.slice(0, ends[count]);
  };
}
