/** A worker of a sweep as a process of its own: starts it, gives it jobs, supervises it, and ends it. */
import { type ChildProcess, spawn } from "node:child_process";
import { fail } from "../../../base/index.js";
import { ownCommand } from "../../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import type { SeeingFolder } from "../seeing/seeing.js";
import type { JobEnd, PoolWorker } from "./jobs.js";
import type { JobOrder } from "./sweep.js";

interface WorkerLimits {
  /** Megabytes of heap of a worker. */
  readonly memoryMb: number;
  /** Maximum time of a job, milliseconds; undefined: no limit except that the worker must answer. */
  readonly jobMs: number | undefined;
}

/** A worker whose event loop is blocked for this time, in milliseconds, is in an endless loop, or it gets no processor. */
const SILENCE_MS = 300_000;

/** Maximum number of lines of a worker's standard error that a report repeats. */
const MAX_LINES = 12;

/** Starts a worker that has read the experiment. Fails with P43045 when it does not start. */
export async function startWorker(start: WorkerStart, limits: WorkerLimits): Promise<PoolWorker<JobOrder>> {
  const [node, ...script] = ownCommand();
  const heap = `--max-old-space-size=${limits.memoryMb}`;
  const child = spawn(node!, [heap, ...script, "run", start.path, "--sweep-worker"], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const worker = new WorkerProcess(child, limits);
  const end = await worker.ask({ type: "start", ...start });
  if (end.kind === "ready") return worker;
  await worker.end();
  const why =
    end.kind === "died" ? [end.why, ...end.lines] : end.kind === "wrong" ? end.text.split("\n") : [];
  return fail(CODES.workerStart, undefined, "a worker of the sweep does not start", ...why);
}

type Answer = JobEnd | { readonly kind: "ready" };

class WorkerProcess implements PoolWorker<JobOrder> {
  readonly #child: ChildProcess;
  readonly #limits: WorkerLimits;
  readonly #ended: Promise<void>;
  /** Its last output: standard error, and standard output, which a user's code may write to. */
  #text = "";
  #answer: ((end: Answer) => void) | undefined;
  #gone: Answer | undefined;
  #progress: (share: number) => void = () => {};
  #heardAt = Date.now();
  /** The reason why this process ended it. */
  #killed: string | undefined;

  constructor(child: ChildProcess, limits: WorkerLimits) {
    this.#child = child;
    this.#limits = limits;
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#text = (this.#text + text).slice(-MAX_TEXT);
      });
    child.on("message", (message: FromWorker) => this.#onMessage(message));
    this.#ended = new Promise((resolve) => {
      const gone = (why: string) => {
        this.#gone = { kind: "died", why: this.#killed ?? why, lines: lastLines(this.#text) };
        this.#give(this.#gone);
        resolve();
      };
      child.on("error", (error) => gone(error.message));
      // After `exit` of the process and the end of its output.
      child.on("close", (status, signal) => gone(this.#reason(status, signal)));
    });
  }

  async run(order: JobOrder, progress: (share: number) => void): Promise<JobEnd> {
    this.#progress = progress;
    const answer = await this.ask({ type: "job", order });
    if (answer.kind === "ready") throw new Error("a worker answered a job as it answers a start");
    return answer;
  }

  /** Sends a message, and waits for its answer. Does not reject. */
  ask(message: ToWorker): Promise<Answer> {
    const begun = Date.now();
    this.#heardAt = begun;
    if (this.#gone !== undefined) return Promise.resolve(this.#gone);
    return new Promise((resolve) => {
      const limit = message.type === "job" ? this.#limits.jobMs : undefined;
      const watch = setInterval(() => this.#watch(begun, limit), WATCH_INTERVAL_MS);
      this.#answer = (end) => {
        clearInterval(watch);
        resolve(end);
      };
      if (this.#child.connected) this.#child.send(message, () => {});
    });
  }

  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  #onMessage(message: FromWorker): void {
    this.#heardAt = Date.now();
    if (message.type === "progress") this.#progress(message.share);
    else if (message.type === "ready") this.#give({ kind: "ready" });
    else if (message.type === "done") this.#give({ kind: "done", line: message.line });
    else if (message.type === "wrong") this.#give({ kind: "wrong", text: message.text });
    else if (message.type === "threw") {
      const [why, ...stack] = message.text.split("\n");
      this.#give({ kind: "died", why: `it threw ${why}`, lines: stack.slice(0, MAX_LINES) });
    }
  }

  #give(end: Answer): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(end);
  }

  #watch(begun: number, jobMs: number | undefined): void {
    const now = Date.now();
    if (jobMs !== undefined && now - begun > jobMs)
      this.#kill(`it had not ended after ${jobMs / 1000} s (--job-timeout)`);
    else if (now - this.#heardAt > SILENCE_MS)
      this.#kill(
        `its worker has not answered for ${SILENCE_MS / 1000} s: it is in an endless loop, or the machine is too busy to run it`,
      );
  }

  #kill(why: string): void {
    this.#killed ??= why;
    this.#child.kill("SIGKILL");
  }

  #reason(status: number | null, signal: NodeJS.Signals | null): string {
    if (/heap out of memory|heap limit/.test(this.#text))
      return `its worker ran out of memory: more than ${this.#limits.memoryMb} MB of heap (--worker-memory)`;
    return signal === null ? `its worker ended with status ${status}` : `its worker was ended by ${signal}`;
  }
}

const WATCH_INTERVAL_MS = 250;
const MAX_TEXT = 16_384;

function lastLines(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .slice(-MAX_LINES)
    .filter((line) => line !== "");
}

// Messages between a sweep and its worker processes, as JSON over the channel that Node opens between them.

/** Data of the sweep for a worker. */
export interface WorkerStart {
  /** The experiment file: its path, and its text as the sweep has read it. */
  readonly path: string;
  readonly text: string;
  readonly runs?: number;
  readonly p4c?: string;
  /** What is observed in addition to the file's key `see`, and the folder for it. */
  readonly seeing: SeeingFolder;
}

export type ToWorker =
  | ({ readonly type: "start" } & WorkerStart)
  | { readonly type: "job"; readonly order: JobOrder };

export type FromWorker =
  | { readonly type: "ready" }
  /** Sent every second, so that a loop without an end is noticed. */
  | { readonly type: "alive" }
  | { readonly type: "progress"; readonly share: number }
  /** `line`: the records of the job. */
  | { readonly type: "done"; readonly line: string }
  /** Diagnostics, as text. */
  | { readonly type: "wrong"; readonly text: string }
  /** Any other thrown value. */
  | { readonly type: "threw"; readonly text: string };

/** Milliseconds between two {@link FromWorker} messages of the type `alive`. */
export const ALIVE_INTERVAL_MS = 1000;
