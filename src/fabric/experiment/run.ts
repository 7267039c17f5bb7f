/**
 * Runs the points of a file: unfinished jobs go to workers, their records to the points file, and the records of all jobs to the results.
 * The results depend only on the records, in the order of the file: not on the number of workers, on shards, or on interruptions. A single
 * run is a sweep of one point: its jobs run in this process, and a mistake that one of them finds ends all. The way from jobs to results is
 * in one file, since a reader of a run goes all of it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { type Diagnostic, DiagnosticError, defined, fail, given } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { RunCoverage } from "./coverage.js";
import { type CommonSettings, type EngineName, type SeeingRequest, seeingOf } from "./experiment.js";
import { checkFolder, PointsFile, pointsFileName, readPoints, writeFolder } from "./files.js";
import type {
  CheckedExperiment,
  FinishedPoint,
  FinishedSweep,
  FinishedUnit,
  Kind,
  Progress,
  TestbedOptions,
  Unit,
} from "./kinds/kind.js";
import { logsOf, MAX_RUNS, refuseSeeing, TypedKind } from "./kinds/registered-kind.js";
import { CompiledPrograms } from "./plan-schemes.js";
import { recordFiles } from "./repeat/record.js";
import type { FileText, PointRecord, PrintedResults, RunResults, Shard, SweepPoint } from "./results.js";
import type { SeeingFolder } from "./seeing/seeing.js";
import {
  breather,
  diagnosticText,
  type FailedJob,
  isFinished,
  jobsOf,
  jobsOfShard,
  likeRecord,
  longestFirst,
  type PoolWorker,
  recordsOfJob,
  runPool,
  version,
} from "./sweep/jobs.js";
import { wantedJobs } from "./sweep/looks.js";
import { runOnSlurm } from "./sweep/slurm.js";
import { counted, SINGLE } from "./sweep/space.js";
import type { Job, Sweep, SweepJobs, SweepRunOptions } from "./sweep/sweep.js";

import { startWorker, type WorkerStart } from "./sweep/worker-process.js";

// Gathers the records of a sweep's jobs for its results, and says which jobs failed or are missing.

/** The parts of a record that results are made of, by the key of the job. */
type Records = ReadonlyMap<string, Pick<PointRecord, "outcome" | "log" | "notes">>;

/** The first record of each job of the sweep; logs of the runs that have files of their own alone. */
function recordsOf({ jobs, seeds }: SweepJobs, records: Iterable<PointRecord>): Records {
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

/** What the results of a sweep are made of. */
function finishedSweep(
  { settings, space, isOneRun }: Sweep,
  { points, seeds, jobs, work }: SweepJobs,
  records: Records,
  { engine, seed, p4c }: Pick<FinishedSweep, "engine" | "seed"> & { readonly p4c: string | undefined },
): FinishedSweep {
  const outcomes = points.map(({ units }) => units.map((): FinishedUnit[] => []));
  for (const { point, units, seed: own, keys } of jobs)
    for (const [i, unit] of units.entries()) {
      const record = records.get(defined(keys[i]));
      if (record === undefined) continue;
      const { outcome, log } = record;
      defined(defined(outcomes[point])[unit]).push({ seed: own, outcome, log });
    }
  const missing = work.filter((job) => !isFinished(job, records));
  return {
    ...{ name: settings.name, engine, seed, isOneRun, keys: space.keys, seeds },
    points: points.map(
      (point, number): FinishedPoint => ({
        ...{ values: space.values(number), point, outcomes: defined(outcomes[number]) },
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
function unfinishedPart(
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
    ...given({ failures: failures.length === 0 ? undefined : failures }),
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

function missingDiagnostics(missing: readonly Job[]): Diagnostic[] {
  if (missing.length === 0) return [];
  const message = `${counted(missing.length, "job")} of the sweep ${missing.length === 1 ? "has" : "have"} no outcome: ${listed(missing)}`;
  const notes = [{ message: "the same command with --resume instead of --gather runs them" }];
  return [{ severity: "error", code: CODES.failedJobs, message, notes }];
}

/** Jobs that failed in the same way share a diagnostic; in the order of the jobs, not of their ends. */
function failureDiagnostics(failed: readonly FailedJob<Job>[]): Diagnostic[] {
  const alike = new Map<string, FailedJob<Job>[]>();
  for (const one of failed.toSorted((a, b) => a.job.number - b.job.number)) {
    const key = JSON.stringify([one.why, one.lines]);
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  return [...alike.values()].map((group): Diagnostic => {
    const { why, lines } = defined(group[0]);
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

export interface RunOptions {
  /** In place of the file's engine. */
  engine?: EngineName;
  /** In place of the file's seed. */
  seed?: number;
  /** In place of the file's number of runs, for every scheme; for kinds that have runs. */
  runs?: number;
  /** Folder for the results; without one nothing is written. */
  out?: string;
  progress?: Progress;
  /** Path of p4c-bm2-ss, which compiles the programs instead of our own compiler. */
  p4c?: string;
  testbed?: TestbedOptions;
  /** Counts what packets reach of the programs, in the simulator, and for jobs of this process: without {@link SweepRunOptions.workers}. */
  coverage?: RunCoverage;
  /** What is observed in addition to the file's key `see`; needs a folder for results. */
  seeing?: Partial<SeeingRequest>;
  /** How the jobs of a sweep run. */
  sweep?: SweepRunOptions;
  /** When it is aborted, the run ends everything that it started and rejects with the signal's reason. */
  stop?: AbortSignal;
}

/** Starts a worker that has read the experiment. */
export type WorkerStarter = typeof startWorker;

/**
 * Throws DiagnosticError: P43041 for too many jobs, P43043 when finished points cannot be kept, P43045 when workers do not start,
 * P43046 for Slurm with an engine other than the simulator, P43081, P43047 and P43048 for Slurm, and errors of a point.
 */
export async function runSweep(
  sweep: Sweep,
  options: RunOptions,
  start: WorkerStarter = startWorker,
): Promise<PrintedResults> {
  const { settings } = sweep;
  const engine = options.engine ?? settings.engine;
  if (engine !== "sim") {
    if (options.sweep?.slurm !== undefined)
      fail(
        CODES.sweepOnTestbed,
        undefined,
        `a sweep on engine ${engine} does not run by Slurm: several of its tasks may share a machine, and a testbed needs one for itself`,
        "run parts of it by hand, each on a machine of its own: --shard i/n",
      );
    if (seeingOf(undefined, options.seeing) !== undefined) refuseSeeing(engine);
  }
  if (options.out !== undefined) checkFolder(options.out);
  const scratch = mkdtempSync(join(tmpdir(), "p4loom-run-"));
  const folder = options.out ?? scratch;
  const store = sweep.isOneRun ? scratch : folder;
  try {
    return await new SweepRun(sweep, options, folder, store, start).run();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

class SweepRun {
  /** Units of points that a job of this process has run: another job makes the point again. */
  readonly #spent = new Set<string>();
  readonly #compiled = new CompiledPrograms();
  readonly #stop: AbortSignal;
  readonly #options: SweepRunOptions;
  readonly #tell: (line: string) => void;
  readonly #seed: number;
  readonly #engine: EngineName;
  /** What repeats the run, as it is before the run. */
  readonly #repeat: readonly (readonly [name: string, text: FileText])[];

  constructor(
    private readonly sweep: Sweep,
    private readonly all: RunOptions,
    private readonly folder: string,
    /** For points files: those of a single run are not kept. */
    private readonly store: string,
    private readonly start: WorkerStarter,
  ) {
    this.#stop = all.stop ?? new AbortController().signal;
    this.#options = all.sweep ?? {};
    this.#tell = (!sweep.isOneRun && this.#options.tell) || (() => {});
    this.#seed = all.seed ?? sweep.settings.seed;
    this.#engine = all.engine ?? sweep.settings.engine;
    const { seed: givenSeed, runs, p4c, seeing } = all;
    const run = { engine: this.#engine, seed: this.#seed, givenSeed, runs, p4c, seeing };
    this.#repeat = all.out === undefined ? [] : recordFiles(sweep.source, { ...run, p4loom: version() });
  }

  async run(): Promise<PrintedResults> {
    const made = await this.#jobs();
    const { gather, slurm, shard } = this.#options;
    // All that a testbed does not support is reported before a testbed is created.
    if (this.#engine !== "sim" && gather !== "only")
      for (const point of made.points) await point.checkOnTestbed(this.#engine, this.#stop);
    const failed: FailedJob<Job>[] = [];
    const started = new Set<Job>();
    const { resume = false } = this.#options;
    let wanted = this.#wanted(made, resume || gather === "only");
    if (resume && slurm === undefined && gather !== "only") this.#announceStale(made);
    // Each pass runs the jobs that are wanted so far: there is another one where a rule asks for more seeds.
    for (let isFirst = true; gather !== "only"; isFirst = false) {
      const own = jobsOfShard(wanted.work, slurm === undefined ? shard : undefined);
      for (const job of own) started.add(job);
      if (slurm !== undefined) {
        const script = await this.#onSlurm(wanted, resume || !isFirst);
        if (script !== undefined)
          return { json: script, table: script, notes: [], warnings: [], unfinished: true };
      } else failed.push(...(await this.#execute(own, wanted, resume || !isFirst)));
      wanted = this.#wanted(made, true);
      const next = jobsOfShard(wanted.work, slurm === undefined ? shard : undefined);
      if (next.every((job) => started.has(job))) break;
    }
    return await this.#conclude(wanted, jobsOfShard(wanted.work, shard), failureDiagnostics(failed));
  }

  /** The jobs that the kept records ask for. */
  #wanted(made: SweepJobs, readsRecords: boolean): SweepJobs {
    if (this.sweep.until === undefined) return made;
    return wantedJobs(made, readsRecords ? recordsOf(made, this.#records()) : new Map());
  }

  async #jobs(): Promise<SweepJobs> {
    const { points } = this.sweep.space;
    const { runs, p4c, progress = () => {} } = this.all;
    const breathe = breather(this.#stop);
    return await jobsOf(this.sweep, {
      seed: this.#seed,
      runs,
      p4c,
      engine: this.#engine,
      breathe: async (point) => {
        if (!this.sweep.isOneRun) progress(point, points, "checking points");
        await breathe();
      },
    });
  }

  /** Runs the jobs that the points files do not have; returns those that failed. */
  async #execute(own: readonly Job[], made: SweepJobs, resume: boolean): Promise<FailedJob<Job>[]> {
    const { shard } = this.#options;
    const finished = new Set<string>();
    const times = new Map<string, number>();
    for (const record of this.#records()) {
      times.set(likeRecord(record), record.ms);
      if (resume) finished.add(record.job);
    }
    const left = own.filter((job) => !isFinished(job, finished));
    // The schemes of a single run follow each other as the file lists them.
    const pending = this.sweep.isOneRun ? left : longestFirst(left, times);
    const file = PointsFile.open(this.store, shard, !resume);
    const count = this.#workers(pending.length);
    const memoryMb = this.#memoryMb(count ?? 1);
    this.#announce(made, own, pending, count, memoryMb);
    let kept = own.length - pending.length;
    const progress = this.#progress(own, pending);
    try {
      return await runPool<Job>({
        jobs: pending,
        workers: count ?? 1,
        stop: this.#stop,
        start: async () =>
          count === undefined
            ? this.#local(made, progress.share)
            : await this.start(...this.#worker(memoryMb)),
        progress: (job, share) => progress.share(job, share),
        done: (job, line) => {
          file.append(line);
          kept++;
          progress.done(job);
        },
        again: (job, why) => {
          progress.dropped(job);
          this.#tell(`runs again: ${job.name}: ${why}`);
        },
      });
    } catch (error) {
      this.#tell(
        `${kept} of ${counted(own.length, "job")} are kept in ${file.path}; the same command with --resume continues`,
      );
      throw error;
    } finally {
      file.close();
    }
  }

  /** Number of workers; undefined: jobs run in this process, as a single job without limits does. */
  #workers(jobs: number): number | undefined {
    const { workers, jobMs, memoryMb } = this.#options;
    // Testbeds need the machine for themselves.
    if (workers === undefined || this.#engine !== "sim" || this.sweep.isOneRun) return undefined;
    return jobs === 1 && jobMs === undefined && memoryMb === undefined ? undefined : Math.min(workers, jobs);
  }

  #records(): Generator<PointRecord> {
    return readPoints(this.store);
  }

  #worker(memoryMb: number): [WorkerStart, { memoryMb: number; jobMs: number | undefined }] {
    const { source } = this.sweep;
    const { runs, p4c } = this.all;
    return [
      {
        path: source.path,
        text: source.text,
        ...given({ runs, p4c }),
        seeing: this.#seeing,
      },
      { memoryMb, jobMs: this.#options.jobMs },
    ];
  }

  get #seeing(): SeeingFolder {
    return { request: this.all.seeing ?? {}, folder: resolve(this.folder) };
  }

  /** Runs jobs in this process. `share`: reports progress with the name of the work. */
  #local({ points }: SweepJobs, share: (job: Job, share: number, what?: string) => void): PoolWorker<Job> {
    const { runs, p4c, coverage, testbed = {} } = this.all;
    const { sweep } = this;
    return {
      run: async (job) => {
        try {
          const means = {
            ...{
              p4c,
              engine: this.#engine,
              testbed,
              seeing: this.#seeing,
              compiled: this.#compiled,
              coverage,
            },
            folder: resolve(this.folder),
            stop: this.#jobStop(),
            progress: (done: number, what: string) => share(job, done, what),
          };
          // A job may leave state in the plans of its schemes: it must not reach another job.
          const uses = job.units.map(
            (unit) => `${job.point} ${defined(defined(points[job.point]).units[unit]).scheme}`,
          );
          const isFresh = !uses.some((use) => this.#spent.has(use));
          for (const use of uses) this.#spent.add(use);
          const point = isFresh ? defined(points[job.point]) : sweep.point(job.point, runs);
          return { kind: "done", line: await recordsOfJob(sweep, point, job, means) };
        } catch (error) {
          const text = diagnosticText(error);
          if (text === undefined || this.#stop.aborted || sweep.isOneRun) throw error;
          return { kind: "wrong", text };
        }
      },
      end: async () => {},
    };
  }

  /** Signal that stops a job in this process. */
  #jobStop(): AbortSignal {
    const { jobMs } = this.#options;
    if (jobMs === undefined) return this.#stop;
    const late = new AbortController();
    const error = new DiagnosticError([
      {
        severity: "error",
        code: CODES.failedJobs,
        message: `it had not ended after ${jobMs / 1000} s (--job-timeout)`,
        notes: [],
      },
    ]);
    setTimeout(() => late.abort(error), jobMs).unref();
    return AbortSignal.any([this.#stop, late.signal]);
  }

  /** Megabytes: an equal share of three quarters of the memory, or of the limit of a Slurm job or container, and at most a size that V8's heap handles well. */
  #memoryMb(workers: number): number {
    const limit = process.constrainedMemory?.() ?? 0;
    const memory = limit > 0 && limit < totalmem() ? limit : totalmem();
    const share = Math.floor((memory * 0.75) / 2 ** 20 / Math.max(1, workers));
    return this.#options.memoryMb ?? Math.max(256, Math.min(8192, share));
  }

  #announce(
    { jobs, work, seeds }: SweepJobs,
    own: readonly Job[],
    pending: readonly Job[],
    workers: number | undefined,
    memoryMb: number,
  ): void {
    const { space } = this.sweep;
    const { shard } = this.#options;
    const parts = [
      `${counted(space.points, "point")}, ${counted(seeds.length, "seed")}: ${counted(jobs.length, "job")}`,
      ...(work.length === jobs.length ? [] : [`${work.length} of them different`]),
      ...(shard === undefined ? [] : [`${own.length} in shard ${shard.index} of ${shard.count}`]),
      ...(this.#engine === "sim" ? [] : ["one after the other, since a testbed needs the machine"]),
      ...(pending.length === own.length ? [] : [`${own.length - pending.length} done already`]),
      ...(workers === undefined || workers === 0
        ? []
        : [`${counted(workers, "worker")} with up to ${memoryMb.toLocaleString("en")} MB of heap each`]),
    ];
    this.#tell(parts.join("; "));
  }

  /** Says why finished jobs are not reused. */
  #announceStale({ work }: SweepJobs): void {
    const finished = new Set([...this.#records()].map(({ job }) => job));
    const keys = new Set(work.flatMap((job) => job.keys));
    const stale = [...finished].filter((key) => !keys.has(key)).length;
    if (stale > 0)
      this.#tell(
        `${counted(stale, "finished job")} in ${this.folder} ${stale === 1 ? "is" : "are"} not of this sweep as it is now: the file, a file that it uses, an option or p4loom has changed`,
      );
  }

  #progress(own: readonly Job[], pending: readonly Job[]) {
    const { progress = () => {} } = this.all;
    const total = own.reduce((sum, { steps }) => sum + steps, 0);
    let done = total - pending.reduce((sum, { steps }) => sum + steps, 0);
    let jobs = own.length - pending.length;
    const running = new Map<Job, number>();
    const { isOneRun } = this.sweep;
    const show = (what: string) => {
      const parts = [...running].reduce((sum, [job, share]) => sum + share * job.steps, 0);
      const words = isOneRun ? what : `${jobs} of ${counted(own.length, "job")}; ${what}`;
      progress(Math.floor(done + parts + ROUNDING), total, words);
    };
    return {
      share: (job: Job, share: number, what = job.name) => {
        running.set(job, share);
        show(isOneRun ? what : job.name);
      },
      dropped: (job: Job) => {
        running.delete(job);
      },
      done: (job: Job) => {
        running.delete(job);
        done += job.steps;
        jobs++;
        // The last step of a single run has been shown.
        if (!isOneRun) show(job.name);
      },
    };
  }

  /** The text of the script where it was requested; otherwise returns when the array job has ended. */
  async #onSlurm(made: SweepJobs, resume: boolean): Promise<string | undefined> {
    const { slurm } = this.#options;
    return await runOnSlurm({
      ...defined(slurm),
      file: this.sweep.source.path,
      name: this.sweep.settings.name,
      folder: this.folder,
      resume,
      jobs: made.work,
      finished: () => new Set([...this.#records()].map(({ job }) => job)),
      progress: this.all.progress ?? (() => {}),
      tell: this.#tell,
      stop: this.#stop,
    });
  }

  /** Makes the results of all records, if each job has one or has failed here. */
  async #conclude(
    made: SweepJobs,
    own: readonly Job[],
    failures: readonly Diagnostic[],
  ): Promise<PrintedResults> {
    const { work } = made;
    const { shard, gather, slurm } = this.#options;
    const { p4c, out } = this.all;
    const records = recordsOf(made, this.#records());
    const missing = work.filter((job) => !isFinished(job, records));
    if (gather === "never" || (shard !== undefined && gather === undefined && missing.length > 0)) {
      const left = own.filter((job) => !isFinished(job, records)).length;
      return unfinishedPart(shard, own.length - left, own.length, missing.length, failures);
    }
    const collected = gather === "only" || slurm !== undefined;
    const errors = [...failures, ...(collected ? missingDiagnostics(missing) : [])];
    if (records.size === 0) throw new DiagnosticError(errors);
    const finished = finishedSweep(this.sweep, made, records, {
      engine: this.#engine,
      seed: this.#seed,
      p4c,
    });
    const { files, ...printed } = await this.sweep.output(finished);
    if (out !== undefined)
      try {
        writeFolder([...files, ...this.#repeat], out);
      } catch (error) {
        this.#tell(
          `${work.length - missing.length} of ${counted(work.length, "job")} are kept in ${this.folder}; the same command with --gather makes the results of them`,
        );
        throw error;
      }
    return { ...printed, ...given({ failures: errors.length === 0 ? undefined : errors }) };
  }
}

/** Shares of jobs are fractions: their sum may be below the number of steps by a rounding error. */
const ROUNDING = 1e-6;

/**
 * Runs all units of a checked experiment. On the simulator the same experiment and seed give the same results, byte for byte; on a
 * testbed the flows and failures are the same, but times are real.
 * Throws DiagnosticError for errors of the experiment that only a run finds.
 */
export async function runKind<
  V extends CommonSettings,
  E extends CheckedExperiment,
  U extends Unit,
  O,
  R extends object,
>(
  kind: Kind<V, E, U, O, R>,
  experiment: E,
  options: Omit<RunOptions, "sweep"> = {},
): Promise<RunResults<E, O, R>> {
  const typed = new TypedKind(kind);
  const { source, settings } = experiment;
  let results: RunResults<E, O, R> | undefined;
  const sweep: Sweep = {
    ...{ source, settings, space: SINGLE, isOneRun: true },
    point: (_number, runs) => {
      const point = typed.point(experiment);
      return runs === undefined ? point : point.withRuns(runs);
    },
    async output(finished) {
      const all = await typed.results(finished);
      const { seed, engine, rows, notes, warnings, programs, points } = all;
      const [point] = points as [SweepPoint<E, U, O, R>];
      results = {
        ...{ experiment: all.name, seed, engine, rows, notes, warnings, programs, source: point.experiment },
        series: point.units.flatMap(({ outcomes }) => outcomes),
        logs: logsOf(point),
      };
      return await typed.output(all);
    },
    checkNumber: () => {},
  };
  await runSweep(sweep, options);
  return defined(results);
}
