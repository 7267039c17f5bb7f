/** A worker process of a sweep: reads the experiment, runs the jobs that it is given, and sends their records. */
import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { Diagnostics, defined, formatDiagnostic, SourceFile } from "../../../base/index.js";
import { lateError } from "../../own-schemes/index.js";
import { CompiledPrograms } from "../plan-schemes.js";
import type { LoadOptions } from "../read.js";
import { diagnosticText, recordsOfJob } from "./jobs.js";
import type { JobOrder, Sweep } from "./sweep.js";
import { ALIVE_INTERVAL_MS, type FromWorker, type ToWorker, type WorkerStart } from "./worker-process.js";

/** Reads an experiment with the schemes that it defines itself. */
export type ReadSweep = (
  source: SourceFile,
  diagnostics: Diagnostics,
  options: LoadOptions,
) => Promise<Sweep | undefined>;

/**
 * Ends the process when its parent has ended, even while it is in an endless loop. Plain JavaScript, so that it runs
 * from sources, from modules and from the bundled command.
 */
const WATCH_PARENT = `
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 1000);`;

/** Serves the parent process until that process ends. */
export async function serveSweep(read: ReadSweep): Promise<never> {
  if (process.send === undefined) throw new Error("a worker of a sweep is started by p4loom run alone");
  const send = (message: FromWorker) => {
    process.send?.(message, undefined, undefined, () => {});
  };
  // Ctrl-C reaches all processes of a terminal: the parent ends its workers.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => {});
  process.on("disconnect", () => process.exit());
  // The job that caused such an error is not known for certain: the worker ends, and its present job goes to another worker.
  const end = (error: unknown) => {
    const { text } = failureMessage(lateError(error) ?? error);
    writeSync(2, `${text}\n`);
    process.exit(1);
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", (error) => {
    // With a second listener a control plane handles it: it knows the owner of the promise.
    if (process.listenerCount("unhandledRejection") === 1) end(error);
  });
  new Worker(WATCH_PARENT, { eval: true, execArgv: [] }).unref();
  setInterval(() => send({ type: "alive" }), ALIVE_INTERVAL_MS).unref();

  const answer = sweepWorker(read, send);
  return await new Promise<never>((_, reject) => {
    process.on("message", (message: ToWorker) => void answer(message).catch(reject));
  });
}

/** A worker without its process: answers the start of a sweep, and then each job, with messages that it sends. */
export function sweepWorker(
  read: ReadSweep,
  send: (message: FromWorker) => void,
): (message: ToWorker) => Promise<void> {
  let run: ((order: JobOrder) => Promise<void>) | undefined;
  return async (message) => {
    if (message.type === "start") run = await start(message, read, send);
    else await defined(run)(message.order);
  };
}

async function start(
  { path, text, runs, p4c, seeing }: WorkerStart,
  read: ReadSweep,
  send: (message: FromWorker) => void,
): Promise<(order: JobOrder) => Promise<void>> {
  const diagnostics = new Diagnostics();
  let sweep: Sweep | undefined;
  try {
    sweep = await read(new SourceFile(path, text), diagnostics, { many: true, checked: true });
  } catch (error) {
    send(failureMessage(error));
  }
  if (sweep === undefined && diagnostics.hasErrors)
    send({ type: "wrong", text: diagnostics.list.map(formatDiagnostic).join("\n") });
  if (sweep !== undefined) send({ type: "ready" });
  const means = {
    ...{ engine: "sim" as const, p4c, seeing, testbed: {}, folder: seeing.folder },
    compiled: new CompiledPrograms(),
    stop: new AbortController().signal,
  };
  return async (order) => {
    let shownAt = 0;
    const progress = (share: number) => {
      const now = Date.now();
      if (now - shownAt < PROGRESS_INTERVAL_MS) return;
      shownAt = now;
      send({ type: "progress", share });
    };
    try {
      // Each job has a point of its own, so that state that a job leaves does not reach another job.
      const point = defined(sweep).point(order.point, runs);
      const line = await recordsOfJob(defined(sweep), point, order, { ...means, progress });
      send({ type: "done", line });
    } catch (error) {
      send(failureMessage(error));
    }
  };
}

const PROGRESS_INTERVAL_MS = 200;

function failureMessage(error: unknown): FromWorker & { readonly text: string } {
  const text = diagnosticText(error);
  if (text !== undefined) return { type: "wrong", text };
  return { type: "threw", text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
