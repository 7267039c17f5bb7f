/**
 * Runs a sweep: unfinished jobs go to workers, their records to the points file, and the records of all jobs to the
 * results. The results depend only on the records, in the order of the file: not on the number of workers, on shards, or on
 * interruptions of the sweep.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { type Diagnostic, DiagnosticError, fail, given } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { breather } from "../engine.js";
import type { EngineName } from "../experiment.js";
import type { PrintedResults } from "../results.js";
import { type RunOptions, refuseSeeing } from "../run.js";
import { seeingOf } from "../seeing/request.js";
import type { SeeingFolder } from "../seeing/seeing.js";
import { checkFolder, writeFolder } from "../write.js";
import { diagnosticText, recordOfJob } from "./job.js";
import { type Job, jobsOf, jobsOfShard, likeRecord, longestFirst, type SweepJobs } from "./jobs.js";
import type { WorkerStart } from "./messages.js";
import type { SweepRunOptions } from "./options.js";
import type { FinishedPoint, JobLab } from "./point.js";
import { type PointRecord, PointsFile, pointsFileName, readPoints, type Shard } from "./points-file.js";
import { type FailedJob, type PoolWorker, runPool } from "./pool.js";
import { runOnSlurm } from "./slurm.js";
import type { Sweep } from "./sweep.js";
import { counted } from "./words.js";
import { startWorker } from "./worker-process.js";

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
        `a sweep on engine ${engine} does not run by Slurm: several of its tasks may share a machine, and a lab needs one for itself`,
        "run parts of it by hand, each on a machine of its own: --shard i/n",
      );
    if (seeingOf(undefined, options.seeing) !== undefined) refuseSeeing(engine);
  }
  if (options.out !== undefined) checkFolder(options.out);
  const folder = options.out ?? mkdtempSync(join(tmpdir(), "p4loom-sweep-"));
  // A write beyond a limit of the file size is to be an error of that write, not the end of the process.
  const ignore = () => {};
  process.on("SIGXFSZ", ignore);
  try {
    return await new SweepRun(sweep, options, folder, start).run();
  } finally {
    process.off("SIGXFSZ", ignore);
    if (options.out === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

class SweepRun {
  readonly #stop: AbortSignal;
  readonly #options: SweepRunOptions;
  readonly #tell: (line: string) => void;
  readonly #seed: number;
  readonly #engine: EngineName;

  constructor(
    private readonly sweep: Sweep,
    private readonly all: RunOptions,
    private readonly folder: string,
    private readonly start: WorkerStarter,
  ) {
    this.#stop = all.stop ?? new AbortController().signal;
    this.#options = all.sweep ?? {};
    this.#tell = this.#options.tell ?? (() => {});
    this.#seed = all.seed ?? sweep.settings.seed;
    this.#engine = all.engine ?? sweep.settings.engine;
  }

  async run(): Promise<PrintedResults> {
    const made = await this.#jobs();
    const { gather, slurm, shard } = this.#options;
    // All that a lab does not support is reported before a lab is created.
    if (this.#engine !== "sim" && gather !== "only")
      for (const point of made.points) await point.checkOnLab(this.#engine, this.#stop);
    const own = jobsOfShard(made.work, shard);
    let failures: readonly Diagnostic[] = [];
    if (slurm !== undefined) {
      const script = await this.#onSlurm(made);
      if (script !== undefined)
        return { json: script, table: script, notes: [], warnings: [], unfinished: true };
    } else if (gather !== "only") failures = failureDiagnostics(await this.#execute(own, made));
    return await this.#conclude(made, own, failures);
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
        progress(point, points, "checking points");
        await breathe();
      },
    });
  }

  /** Runs the jobs that the points files do not have; returns those that failed. */
  async #execute(own: readonly Job[], made: SweepJobs): Promise<FailedJob<Job>[]> {
    const { shard, resume = false } = this.#options;
    const finished = new Set<string>();
    const times = new Map<string, number>();
    const records = this.#records();
    for (const record of records) {
      times.set(likeRecord(record), record.ms);
      if (resume) finished.add(record.job);
    }
    const pending = longestFirst(
      own.filter(({ job }) => !finished.has(job)),
      times,
    );
    const file = PointsFile.open(this.folder, shard, !resume);
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
          count === undefined ? this.#local() : await this.start(...this.#worker(memoryMb)),
        progress: progress.share,
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
    // Labs need the machine for themselves.
    if (workers === undefined || this.#engine !== "sim") return undefined;
    return jobs === 1 && jobMs === undefined && memoryMb === undefined ? undefined : Math.min(workers, jobs);
  }

  #records(): Generator<PointRecord> {
    return readPoints(this.folder);
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

  /** Runs jobs in this process. */
  #local(): PoolWorker<Job> {
    const { runs, p4c } = this.all;
    return {
      run: async (job, progress) => {
        try {
          const means = { runs, p4c, seeing: this.#seeing, stop: this.#jobStop(), progress, ...this.#lab };
          const line = await recordOfJob(this.sweep, job, means);
          return { kind: "done", line };
        } catch (error) {
          const text = diagnosticText(error);
          if (text === undefined || this.#stop.aborted) throw error;
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

  get #lab(): { readonly lab?: JobLab } {
    const engine = this.#engine;
    if (engine === "sim") return {};
    return { lab: { engine, testbed: this.all.testbed ?? {}, folder: resolve(this.folder) } };
  }

  /** Megabytes: an equal share of three quarters of the memory, or of the limit of a Slurm job or container, and at most a size that V8's heap handles well. */
  #memoryMb(workers: number): number {
    const limit = process.constrainedMemory?.() ?? 0;
    const memory = limit > 0 && limit < totalmem() ? limit : totalmem();
    const share = Math.floor((memory * 0.75) / 2 ** 20 / Math.max(1, workers));
    return this.#options.memoryMb ?? Math.max(256, Math.min(8192, share));
  }

  #announce(
    { jobs, work }: SweepJobs,
    own: readonly Job[],
    pending: readonly Job[],
    workers: number | undefined,
    memoryMb: number,
  ): void {
    const { space } = this.sweep;
    const { shard } = this.#options;
    const parts = [
      `${counted(space.points, "point")}, ${counted(space.seedCount, "seed")}: ${counted(jobs.length, "job")}`,
      ...(work.length === jobs.length ? [] : [`${work.length} of them different`]),
      ...(shard === undefined ? [] : [`${own.length} in shard ${shard.index} of ${shard.count}`]),
      ...(this.#engine === "sim" ? [] : ["one after the other, since a lab needs the machine"]),
      ...(pending.length === own.length ? [] : [`${own.length - pending.length} done already`]),
      ...(workers === undefined || workers === 0
        ? []
        : [`${counted(workers, "worker")} with up to ${memoryMb.toLocaleString("en")} MB of heap each`]),
    ];
    this.#tell(parts.join("; "));
  }

  #progress(own: readonly Job[], pending: readonly Job[]) {
    const { progress = () => {} } = this.all;
    const total = own.reduce((sum, { steps }) => sum + steps, 0);
    let done = total - pending.reduce((sum, { steps }) => sum + steps, 0);
    let jobs = own.length - pending.length;
    const running = new Map<Job, number>();
    const show = (what: string) => {
      const parts = [...running].reduce((sum, [job, share]) => sum + share * job.steps, 0);
      progress(Math.floor(done + parts), total, `${jobs} of ${counted(own.length, "job")}; ${what}`);
    };
    return {
      share: (job: Job, share: number) => {
        running.set(job, share);
        show(job.name);
      },
      dropped: (job: Job) => {
        running.delete(job);
      },
      done: (job: Job) => {
        running.delete(job);
        done += job.steps;
        jobs++;
        show(job.name);
      },
    };
  }

  /** The text of the script where it was requested; otherwise returns when the array job has ended. */
  async #onSlurm(made: SweepJobs): Promise<string | undefined> {
    const { slurm, resume = false } = this.#options;
    return await runOnSlurm({
      ...slurm!,
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
    { points, seeds, jobs, work }: SweepJobs,
    own: readonly Job[],
    failures: readonly Diagnostic[],
  ): Promise<PrintedResults> {
    const { shard, gather, slurm } = this.#options;
    const wanted = new Set(jobs.map(({ job }) => job));
    const outcomes = new Map<string, unknown>();
    const notes = new Map<string, readonly string[]>();
    for (const { job, outcome, notes: own = [] } of this.#records()) {
      if (!wanted.has(job) || outcomes.has(job)) continue;
      outcomes.set(job, outcome);
      notes.set(job, own);
    }
    const missing = work.filter(({ job }) => !outcomes.has(job));
    if (gather === "never" || (shard !== undefined && gather === undefined && missing.length > 0)) {
      const left = own.filter(({ job }) => !outcomes.has(job)).length;
      return unfinishedPart(shard, own.length - left, own.length, missing.length, failures);
    }
    const collected = gather === "only" || slurm !== undefined;
    const errors = [...failures, ...(collected ? missingDiagnostics(missing) : [])];
    if (outcomes.size === 0) throw new DiagnosticError(errors);
    const warnings = missing.length === 0 ? [] : [missingWarning(missing, work.length)];
    const finished: FinishedPoint[] = points.map((point, number) => ({
      values: this.sweep.space.values(number),
      point,
      outcomes: point.units.map(() => []),
    }));
    for (const { point, unit, seed, job } of jobs)
      if (outcomes.has(job))
        (finished[point]!.outcomes[unit] as { seed: number; outcome: unknown }[]).push({
          seed,
          outcome: outcomes.get(job),
        });
    const { settings, space } = this.sweep;
    const output = await this.sweep.output({
      name: settings.name,
      engine: this.#engine,
      seed: this.#seed,
      keys: space.keys,
      seeds,
      points: finished,
      notes: [
        ...new Set([
          ...(this.all.p4c === undefined ? [] : ["The programs were compiled by p4c."]),
          ...jobs.flatMap(({ job }) => notes.get(job) ?? []),
        ]),
      ],
      warnings,
    });
    if (this.all.out !== undefined)
      try {
        writeFolder(output.files, this.all.out);
      } catch (error) {
        this.#tell(
          `${work.length - missing.length} of ${counted(work.length, "job")} are kept in ${this.folder}; the same command with --gather makes the results of them`,
        );
        throw error;
      }
    const { json, table, notes: printed, warnings: all } = output;
    return {
      json,
      table,
      notes: printed,
      warnings: all,
      ...(errors.length === 0 ? {} : { failures: errors }),
    };
  }
}

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
