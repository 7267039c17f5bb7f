/**
 * Gives jobs to workers. A job whose worker dies, throws or does not answer runs once more on another worker; if that fails too, the job has
 * failed, and the others continue. A job that ends with a user's mistake is not repeated: it would end in the same way.
 */

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

export interface PoolOptions<J> {
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
