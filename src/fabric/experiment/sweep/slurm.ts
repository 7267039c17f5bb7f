/**
 * Runs the jobs of a sweep as an array job of Slurm. A task is one shard: it runs this command on a node of the cluster, and appends to a
 * points file of its own in the folder of the results, which all nodes must share. Jobs that tasks do not finish are submitted again.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { defined, fail } from "../../../base/index.js";
import { makeFolders, ownCommand, runCommand } from "../../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import type { Progress } from "../kinds/kind.js";
import { isFinished, jobsOfShard } from "./jobs.js";

import { counted } from "./space.js";
import type { Job, SlurmOptions } from "./sweep.js";

export interface SlurmRun extends SlurmOptions {
  /** The experiment file. */
  readonly file: string;
  /** Name of the experiment. */
  readonly name: string;
  /** Folder for points files, results and, below `slurm/`, the script and the tasks' logs. */
  readonly folder: string;
  readonly resume: boolean;
  readonly jobs: readonly Job[];
  /** Keys of the jobs that the points files have. */
  finished(): ReadonlySet<string>;
  readonly progress: Progress;
  tell(line: string): void;
  /** When it is aborted, p4loom stops waiting and the array job continues. */
  readonly stop: AbortSignal;
}

/** Maximum number of submissions of a task that does not finish its jobs. */
const ATTEMPTS = 3;

/** Milliseconds between two queries of the queue. */
const POLL_MS = 5_000;

/** Maximum number of consecutive failed queries: the Slurm controller may be restarting. */
const MAX_FAILED_LOOKS = 20;

/**
 * Waits until all tasks have ended; jobs that are unfinished then have failed. With `dryRun`, returns the text of the script. Fails with
 * P43047 when sbatch cannot be called or refuses the script, with P43048 when the queue cannot be read.
 */
export async function runOnSlurm(run: SlurmRun): Promise<string | undefined> {
  const tasks = Math.max(1, Math.min(run.tasks, run.jobs.length));
  const script = scriptOf(run, tasks);
  if (run.dryRun) return script;
  const folder = join(run.folder, "slurm");
  makeFolders(folder);
  if (!run.resume) setAside(run.folder);
  const path = join(folder, "job.sh");
  writeFileSync(path, script);
  chmodSync(path, 0o755);

  const shard = (index: number) => jobsOfShard(run.jobs, { index, count: tasks });
  const unfinished = (): number[] => {
    const finished = run.finished();
    return Array.from({ length: tasks }, (_, i) => i + 1).filter((index) =>
      shard(index).some((job) => !isFinished(job, finished)),
    );
  };
  let left = run.resume ? unfinished() : Array.from({ length: tasks }, (_, i) => i + 1);
  for (let attempt = 1; left.length > 0 && attempt <= ATTEMPTS; attempt++) {
    const id = await submit(path, left);
    const what =
      attempt === 1 ? "" : `, again, since ${left.length === 1 ? "it" : "they"} did not finish all jobs`;
    run.tell(
      `array job ${id}: ${counted(left.length, "task")} (${ranges(left)})${what}; logs are in ${folder}`,
    );
    await wait(run, id);
    left = unfinished();
  }
  return undefined;
}

/** The script of the array job, with all options of sbatch. */
function scriptOf({ file, folder, name, options, repeat }: SlurmRun, tasks: number): string {
  const logs = join(resolve(folder), "slurm", "%A_%a.log");
  const command = [...ownCommand(), "run", resolve(file), "--out", resolve(folder), ...repeat];
  return [
    "#!/bin/sh",
    `#SBATCH --job-name=${quoted(`p4loom-${name}`)}`,
    `#SBATCH --array=1-${tasks}`,
    `#SBATCH --output=${quoted(logs)}`,
    ...options.map((option) => `#SBATCH ${option}`),
    "",
    `exec ${command.map(quoted).join(" ")} \\`,
    `  --shard "$SLURM_ARRAY_TASK_ID/${tasks}" --resume --no-gather${
      repeat.includes("--workers") ? "" : ` --workers "\${SLURM_CPUS_PER_TASK:-1}"`
    }`,
    "",
  ].join("\n");
}

/** A word for the shell and for sbatch, which removes quotation marks as the shell does. */
function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Renames points files of earlier runs to `NAME.old`. */
function setAside(folder: string): void {
  for (const name of readdirSync(folder))
    if (/^points(?:-\d+-of-\d+)?\.jsonl$/.test(name))
      renameSync(join(folder, name), join(folder, `${name}.old`));
}

/** `1-3,5`: the list of an array job. */
function ranges(sorted: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const n of sorted) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] === n - 1) last[1] = n;
    else parts.push([n, n]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

async function submit(script: string, tasks: readonly number[]): Promise<string> {
  const { error, stdout, stderr } = await runCommand([
    "sbatch",
    "--parsable",
    `--array=${ranges(tasks)}`,
    script,
  ]);
  if (error !== undefined)
    fail(
      CODES.slurmSubmit,
      undefined,
      `cannot submit ${script}: ${stderr.trim() === "" ? `sbatch: ${error}` : stderr.trim().split("\n")[0]}`,
      ...stderr.trim().split("\n").slice(1),
      "run this on a machine of the cluster; options of sbatch are given with --slurm-options",
    );
  // With several clusters, the cluster's name follows.
  return defined(stdout.trim().split(";")[0]);
}

/** Waits until the array job has left the queue. */
async function wait({ jobs, folder, progress, tell, stop, pollMs }: SlurmRun, id: string): Promise<void> {
  const counter = new LineCounter(folder);
  let failures = 0;
  for (;;) {
    if (stop.aborted) {
      tell(
        `array job ${id} continues: run the same command with --gather instead of --slurm when it has ended, or end it with scancel ${id}`,
      );
      throw stop.reason;
    }
    const { error, stdout, stderr } = await runCommand(["squeue", "-h", "-r", "-j", id, "-o", "%T"]);
    // Slurm forgets a job some time after its end.
    const ended = error === undefined ? stdout.trim() === "" : /invalid job id/i.test(stderr);
    if (ended) return;
    failures = error === undefined ? 0 : failures + 1;
    if (failures >= MAX_FAILED_LOOKS)
      fail(
        CODES.slurmQueue,
        undefined,
        `cannot read the queue of Slurm: ${stderr.trim() || error}`,
        `array job ${id} continues: run the same command with --gather instead of --slurm when it has ended`,
      );
    progress(Math.min(counter.count(), jobs.length), jobs.length, `array job ${id}: ${statesOf(stdout)}`);
    await pause(pollMs ?? POLL_MS, stop);
  }
}

/** `2 running, 3 pending`. */
function statesOf(stdout: string): string {
  const counts = new Map<string, number>();
  for (const state of stdout.split("\n").filter((line) => line !== ""))
    counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state.toLowerCase()}`).join(", ");
}

/** Counts the lines of all points files without reading a part twice. */
class LineCounter {
  readonly #read = new Map<string, number>();
  #lines = 0;

  constructor(private readonly folder: string) {}

  count(): number {
    const chunk = Buffer.alloc(1 << 16);
    for (const name of existsSync(this.folder) ? readdirSync(this.folder) : []) {
      if (!/^points(?:-\d+-of-\d+)?\.jsonl$/.test(name)) continue;
      const fd = openSync(join(this.folder, name), "r");
      try {
        const { size } = fstatSync(fd);
        let at = this.#read.get(name) ?? 0;
        while (at < size) {
          const bytes = readSync(fd, chunk, 0, chunk.length, at);
          if (bytes === 0) break;
          for (const byte of chunk.subarray(0, bytes)) if (byte === 0x0a) this.#lines++;
          at += bytes;
        }
        this.#read.set(name, at);
      } finally {
        closeSync(fd);
      }
    }
    return this.#lines;
  }
}

/** Ends early when the signal is aborted. */
function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      stop.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    stop.addEventListener("abort", end, { once: true });
    // It may have been aborted while the queue was read: the event does not come again then.
    if (stop.aborted) end();
  });
}
