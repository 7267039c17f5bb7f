/**
 * The jobs of a sweep: every unit of every point under every seed, in the order of the results; what each depends on, the record that it leaves, and
 * the pool of workers that run them.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { DiagnosticError, defined, fail, formatDiagnostic, given } from "../../../base/index.js";
import { packageFile } from "../../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import type { EngineName, SchemeRun } from "../experiment.js";
import type { JobContext, Point, Unit } from "../kinds/kind.js";
import { bigintAsText } from "../plan-schemes.js";
import type { PointRecord, Shard } from "../results.js";
import type { SeeingFolder } from "../seeing/seeing.js";
import { fileWord, pointName } from "./space.js";
import type { Job, JobOrder, Sweep, SweepJobs } from "./sweep.js";

interface JobOptions {
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
  const { until } = sweep;
  const seeds = until === undefined ? space.seeds(seed) : firstSeeds(seed, until.most);
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
      const { scheme, name } = defined(point.units[defined(units[0])]);
      for (const one of seeds)
        jobs.push({
          number: jobs.length,
          point: number,
          units,
          seed: one,
          keys: dependencies.map((text) => jobKey(text, one, p4c, engine)),
          name: [pointName(values), scheme, name, `seed ${one}`].filter((word) => word !== "").join(", "),
          steps: units.reduce((sum, unit) => sum + defined(point.units[unit]).steps, 0),
        });
    }
  }
  const seen = new Set<string>();
  // A rule that asks for more seeds goes seed by seed: then the jobs of each look are next to each other, and shards have as many of them.
  const order =
    until === undefined ? jobs : jobs.toSorted((a, b) => seeds.indexOf(a.seed) - seeds.indexOf(b.seed));
  const work = order.filter(({ keys }) => !seen.has(keys.join()) && seen.add(keys.join()));
  return { points, seeds, jobs, work: work.map((job, number) => ({ ...job, number })) };
}

/** Seeds that follow each other. */
function firstSeeds(base: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => (base + i) % 2 ** 32);
}

/** The units of a single run: those of a scheme share its fabric; those of all schemes, a testbed. */
function groupsOf({ units }: Point, engine: EngineName): number[][] {
  const numbers = [...units.keys()];
  if (engine !== "sim") return [numbers];
  const labels = new Set(units.map(({ scheme }) => scheme));
  return [...labels].map((label) => numbers.filter((unit) => defined(units[unit]).scheme === label));
}

/** The jobs of a shard. Neighbours in the list, which take about the same time, go to different shards. */
export function jobsOfShard(jobs: readonly Job[], shard: Shard | undefined): readonly Job[] {
  return shard === undefined ? jobs : jobs.filter(({ number }) => number % shard.count === shard.index - 1);
}

export function isFinished({ keys }: Pick<Job, "keys">, records: { has(key: string): boolean }): boolean {
  return keys.every((key) => records.has(key));
}

/** Sorts the longest jobs first, so that none of them runs alone at the end; by measured times of similar jobs where all have one. */
export function longestFirst(jobs: readonly Job[], known: ReadonlyMap<string, number>): Job[] {
  const times = jobs.map((job) => known.get(likeJob(job)));
  const length = times.every((time) => time !== undefined)
    ? (i: number) => defined(times[i])
    : (i: number) => defined(jobs[i]).steps;
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
interface JobMeans extends Pick<JobContext, "engine" | "p4c" | "compiled" | "coverage" | "testbed" | "stop"> {
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
  const units = numbers.map((unit) => defined(point.units[unit]));
  const { scheme: first, name } = defined(units[0]);
  const words = [pointName(values), first, name, `seed-${seed}`].filter(Boolean);
  const jobName = sweep.isOneRun ? undefined : fileWord(words.join("-"));
  const steps = units.reduce((sum, unit) => sum + unit.steps, 0);
  let done = 0;
  const { outcomes, logs, notes } = await point.run(numbers, {
    ...means,
    seed,
    seeing: { ...seeing, ...given({ name: jobName }) },
    folder: jobName === undefined ? folder : join(folder, "testbeds", jobName),
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
      ...{ job: defined(keys[i]), point: values, scheme, unit, seed, ms },
      ...given({ log }),
      ...given({ notes: i > 0 || notes.length === 0 ? undefined : notes }),
      outcome: outcomes[i],
    };
  });
  return records.map((record) => JSON.stringify(record)).join("\n");
}

/** Diagnostics as text; undefined for all other thrown values. */
export function diagnosticText(error: unknown): string | undefined {
  return error instanceof DiagnosticError ? error.diagnostics.map(formatDiagnostic).join("\n") : undefined;
}

// All that the outcome of a job depends on, as text: a continued sweep reuses outcomes whose text is the same. For code and
// programs of users, it includes their files and those that these import or include by relative paths.

/** Number of the form of outcomes in records: a change of the form of any kind raises it, so that records of an older form are not reused. */
export const OUTCOME_FORMAT = 1;

/** Keys of the settings that have no effect inside of a unit, or are in the text separately. */
const ELSEWHERE = new Set(["name", "title", "output", "sweep", "seed", "engine", "schemes", "runs", "until"]);

/** `kindOwn`: the dependencies that the kind reports. */
export function dependenciesOf(
  kind: string,
  settings: object,
  { scheme, name }: Unit,
  kindOwn: unknown,
): string {
  const own = Object.fromEntries(Object.entries(settings).filter(([key]) => !ELSEWHERE.has(key)));
  const unit = { name, ...schemeText(scheme as Partial<SchemeRun> & Unit["scheme"]) };
  const format = OUTCOME_FORMAT;
  return JSON.stringify({ version: version(), format, kind, settings: own, kindOwn, unit }, bigintAsText);
}

/** A scheme that is planned has programs and perhaps a module; of others the kind reports what outcomes depend on. */
function schemeText({ label, scheme, runs, parameters, plan }: Partial<SchemeRun> & Unit["scheme"]): object {
  if (plan === undefined) return { label };
  const files = [
    ...(plan.place === undefined ? [] : [plan.place.file.path]),
    ...plan.programs.flatMap((program) => (program.own === undefined ? [] : [program.own.file.path])),
  ];
  return { label, scheme, runs, parameters, files: [...closure(files)] };
}

/** The key of a job: SHA-256, in hexadecimal digits, of all that it depends on. */
function jobKey(
  dependencies: string,
  seed: number,
  p4c: string | undefined,
  engine: EngineName = "sim",
): string {
  const all = [dependencies, seed, p4c ?? "", ...(engine === "sim" ? [] : [engine])];
  return createHash("sha256").update(JSON.stringify(all)).digest("hex");
}

let known: string | undefined;

/** The version of the package. */
export function version(): string {
  known ??= (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
  return known;
}

/** Relative paths in code of modules, and of P4 programs. */
const REFERENCE =
  /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']|^\s*#\s*include\s*"([^"]+)"/gm;

/** The digest of each of these files and of those that they refer to, each once, in the order in which they are met. */
function closure(paths: readonly string[]): Map<string, string> {
  const digests = new Map<string, string>();
  // Modules may import each other.
  const met = new Set<string>();
  // The name of a folder has no effect on the outcome.
  const visit = (path: string, name: string) => {
    if (met.has(path)) return;
    met.add(path);
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch {
      // A file that does not exist is left out: the reference may be in a comment.
      return;
    }
    digests.set(name, createHash("sha256").update(text).digest("hex"));
    for (const [, imported, included] of text.matchAll(REFERENCE)) {
      const reference = imported ?? defined(included);
      visit(resolve(dirname(path), reference), `${name} > ${reference}`);
    }
  };
  for (const [i, path] of [...new Set(paths)].entries()) visit(path, String(i));
  return digests;
}

// Gives jobs to workers. A job whose worker dies, throws or does not answer runs once more on another worker; if that fails too, the job has
// failed, and the others continue. A job that ends with a user's mistake is not repeated: it would end in the same way.

/** How a job on a worker ended. */
export type JobEnd =
  /** `line`: the record to keep. */
  | { readonly kind: "done"; readonly line: string }
  /** A diagnostic; the worker can run further jobs. */
  | { readonly kind: "wrong"; readonly text: string }
  /** The worker cannot be used again. `lines`: the last ones that it wrote to its standard error. */
  | { readonly kind: "died"; readonly why: string; readonly lines: readonly string[] };

export interface PoolWorker<J> {
  /** Runs one job at a time; does not reject. `progress`: the share of the job that is done. */
  run(job: J, progress: (share: number) => void): Promise<JobEnd>;
  /** Ends the worker, even while it runs a job. */
  end(): Promise<void>;
}

/** A job that failed for good. */
export interface FailedJob<J> {
  readonly job: J;
  readonly why: string;
  readonly lines: readonly string[];
}

interface PoolOptions<J> {
  readonly jobs: readonly J[];
  readonly workers: number;
  /** Rejects when workers cannot be started at all. */
  start(): Promise<PoolWorker<J>>;
  /** A job succeeded; an exception of this function ends everything. */
  done(job: J, line: string): void;
  /** The share of a running job that is done. */
  progress(job: J, share: number): void;
  /** A job runs again. */
  again?(job: J, why: string): void;
  /** When it is aborted, all workers are ended, and the pool rejects with its reason. */
  readonly stop: AbortSignal;
}

/** Maximum number of attempts at a job whose worker dies. */
const ATTEMPTS = 2;

/** Runs all jobs in their order, as workers become free; returns the failed jobs in the order in which they failed. */
export async function runPool<J>(options: PoolOptions<J>): Promise<FailedJob<J>[]> {
  const { jobs, stop } = options;
  stop.throwIfAborted();
  const queue = jobs.map((job) => ({ job, attempts: 0 }));
  // Repeated jobs run first, so that a permanent fault is known early.
  const repeated: typeof queue = [];
  const failed: FailedJob<J>[] = [];
  const live = new Set<PoolWorker<J>>();
  let next = 0;
  let ended: { readonly error: unknown } | undefined;

  const endAll = (error: unknown) => {
    ended ??= { error };
    for (const worker of live) void worker.end();
  };
  const onStop = () => endAll(stop.reason);
  stop.addEventListener("abort", onStop, { once: true });

  const serve = async () => {
    let worker: PoolWorker<J> | undefined;
    try {
      while (ended === undefined) {
        const task = repeated.shift() ?? queue[next++];
        if (task === undefined) return;
        if (worker === undefined) {
          worker = await options.start();
          live.add(worker);
          if (ended !== undefined) return;
        }
        const end = await worker.run(task.job, (share) => options.progress(task.job, share));
        if (ended !== undefined) return;
        if (end.kind === "done") options.done(task.job, end.line);
        else if (end.kind === "wrong") failed.push({ job: task.job, why: end.text, lines: [] });
        else {
          live.delete(worker);
          await worker.end();
          worker = undefined;
          task.attempts++;
          if (task.attempts < ATTEMPTS) {
            options.again?.(task.job, end.why);
            repeated.push(task);
          } else failed.push({ job: task.job, why: `${end.why}, twice`, lines: end.lines });
        }
      }
    } catch (error) {
      endAll(error);
    } finally {
      if (worker !== undefined) {
        live.delete(worker);
        await worker.end();
      }
    }
  };
  // When a worker's loop has ended, another loop may still put a job back: that loop runs the job itself.
  await Promise.all(Array.from({ length: Math.min(options.workers, jobs.length) }, serve));
  stop.removeEventListener("abort", onStop);
  if (ended !== undefined) throw (ended as { error: unknown }).error;
  return failed;
}

/**
 * For loops that keep the event loop busy: lets signals and timers of the process be handled about every 50 ms. The
 * returned function rejects with the reason of `stop`.
 */
export function breather(stop: AbortSignal): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < BREATH_INTERVAL_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    last = performance.now();
    stop.throwIfAborted();
  };
}

const BREATH_INTERVAL_MS = 50;
