/** Gathers the records of a sweep's jobs for its results, and says which jobs failed or are missing. */
import { type Diagnostic, given } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { FinishedPoint, FinishedSweep, FinishedUnit } from "../kinds/kind.js";
import { MAX_RUNS } from "../kinds/registered-kind.js";
import type { PrintedResults } from "../results.js";
import { pointsFileName } from "./points-file.js";
import type { FailedJob } from "./pool.js";
import { counted } from "./space.js";
import type { Job, PointRecord, Shard, Sweep, SweepJobs } from "./sweep.js";

/** The parts of a record that results are made of, by the key of the job. */
export type Records = ReadonlyMap<string, Pick<PointRecord, "outcome" | "log" | "notes">>;

/** The first record of each job of the sweep; logs of the runs that have files of their own alone. */
export function recordsOf({ jobs, seeds }: SweepJobs, records: Iterable<PointRecord>): Records {
  const isLogged = new Map<string, boolean>();
  for (const { point, seed, keys } of jobs)
    for (const key of keys)
      isLogged.set(key, isLogged.get(key) || point * seeds.length + seeds.indexOf(seed) < MAX_RUNS);
  const found = new Map<string, Pick<PointRecord, "outcome" | "log" | "notes">>();
  for (const { job, outcome, log, notes } of records)
    if (isLogged.has(job) && !found.has(job))
      found.set(job, { outcome, ...given({ log: isLogged.get(job) ? log : undefined, notes }) });
  return found;
}

export function isFinished({ keys }: Pick<Job, "keys">, records: { has(key: string): boolean }): boolean {
  return keys.every((key) => records.has(key));
}

/** What the results of a sweep are made of. */
export function finishedSweep(
  { settings, space, isOneRun }: Sweep,
  { points, seeds, jobs, work }: SweepJobs,
  records: Records,
  { engine, seed, p4c }: Pick<FinishedSweep, "engine" | "seed"> & { readonly p4c: string | undefined },
): FinishedSweep {
  const outcomes = points.map(({ units }) => units.map((): FinishedUnit[] => []));
  for (const { point, units, seed: own, keys } of jobs)
    for (const [i, unit] of units.entries()) {
      const record = records.get(keys[i]!);
      if (record === undefined) continue;
      const { outcome, log } = record;
      outcomes[point]![unit]!.push({ seed: own, outcome, log });
    }
  const missing = work.filter((job) => !isFinished(job, records));
  return {
    ...{ name: settings.name, engine, seed, isOneRun, keys: space.keys, seeds },
    points: points.map(
      (point, number): FinishedPoint => ({
        ...{ values: space.values(number), point, outcomes: outcomes[number]! },
      }),
    ),
    notes: [
      ...new Set([
        ...(p4c === undefined ? [] : ["The programs were compiled by p4c."]),
        ...jobs.flatMap(({ keys }) => keys.flatMap((key) => records.get(key)?.notes ?? [])),
      ]),
    ],
    warnings: missing.length === 0 ? [] : [missingWarning(missing, work.length)],
  };
}

/** Results of a part whose other parts are not finished. */
export function unfinishedPart(
  shard: Shard | undefined,
  done: number,
  jobs: number,
  missing: number,
  failures: readonly Diagnostic[],
): PrintedResults {
  const part = shard === undefined ? "" : `shard ${shard.index} of ${shard.count}: `;
  const words = `${part}${done} of ${counted(jobs, "job")} done`;
  const others = missing - (jobs - done);
  const more =
    others === 0 ? "" : `; ${counted(others, "job")} of other shards ${others === 1 ? "is" : "are"} not`;
  return {
    json: `${JSON.stringify({ shard: shard === undefined ? "1/1" : `${shard.index}/${shard.count}`, jobs, done, missing })}\n`,
    table: `${words}${more} (${pointsFileName(shard)})`,
    notes: [],
    warnings: [],
    unfinished: true,
    ...(failures.length === 0 ? {} : { failures }),
  };
}

/** Maximum number of jobs that a list names; further ones are counted. */
const MAX_NAMED = 10;

function listed(jobs: readonly Pick<Job, "name">[]): string {
  const names = jobs.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = jobs.length - names.length;
  return [...names, ...(more === 0 ? [] : [`and ${counted(more, "more job")}`])].join("; ");
}

function missingWarning(missing: readonly Job[], jobs: number): string {
  return `${missing.length} of ${counted(jobs, "job")} ${missing.length === 1 ? "has" : "have"} no outcome and ${missing.length === 1 ? "is" : "are"} missing from the figures: ${listed(missing)}.`;
}

export function missingDiagnostics(missing: readonly Job[]): Diagnostic[] {
  if (missing.length === 0) return [];
  const message = `${counted(missing.length, "job")} of the sweep ${missing.length === 1 ? "has" : "have"} no outcome: ${listed(missing)}`;
  const notes = [{ message: "the same command with --resume instead of --gather runs them" }];
  return [{ severity: "error", code: CODES.failedJobs, message, notes }];
}

/** Jobs that failed in the same way share a diagnostic; in the order of the jobs, not of their ends. */
export function failureDiagnostics(failed: readonly FailedJob<Job>[]): Diagnostic[] {
  const alike = new Map<string, FailedJob<Job>[]>();
  for (const one of failed.toSorted((a, b) => a.job.number - b.job.number)) {
    const key = JSON.stringify([one.why, one.lines]);
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  return [...alike.values()].map((group): Diagnostic => {
    const { why, lines } = group[0]!;
    const names = listed(group.map(({ job }) => job));
    return {
      severity: "error",
      code: CODES.failedJobs,
      message: `${counted(group.length, "job")} of the sweep failed: ${names}`,
      // A diagnostic of the job has lines and notes of its own: they follow as they are.
      notes: [why, ...lines].map((message) => ({ message })),
    };
  });
}
