/** The process that grades one submission: reads a job from stdin, writes the results to stdout. */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { DiagnosticError, Diagnostics, formatDiagnostic, SourceFile } from "../../base/index.js";
import { filesOf, readExercise } from "../exercises/index.js";
import { type RunTestOptions, runTest, StepFailure, Submission } from "../grading/index.js";
import { controllerStarter } from "./controller/parent.js";
import type { Job, JobAnswer } from "./job.js";
import { TestbedNetworks } from "./testbed/networks.js";

/**
 * Runs the tests of one job, and writes a result after each test. If stdin is closed before, everything is stopped
 * and removed.
 */
export async function serveJob(): Promise<void> {
  // Without this listener, the signal would open Node's debugger; a controller could send it.
  process.on("SIGUSR1", () => {});
  const stop = new AbortController();
  const lines = createInterface({ input: process.stdin });
  const job = JSON.parse(await new Promise<string>((resolve) => lines.once("line", resolve))) as Job;
  const abandon = (): void => {
    if (job.testbed === undefined) process.exit();
    stop.abort(new Error("the grading process has ended"));
  };
  lines.once("close", abandon);
  try {
    await gradeJob(job, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    lines.off("close", abandon);
    // The parent process, which removes the folder, may have ended.
    if (stop.signal.aborted) rmSync(job.testbed!.folder, { recursive: true, force: true });
    process.stdin.destroy();
  }
}

async function gradeJob(job: Job, stop: AbortSignal): Promise<void> {
  const diagnostics = new Diagnostics();
  const exercise = readExercise(filesOf(new Map(Object.entries(job.exercise))), "", diagnostics)!;
  diagnostics.throwIfErrors();
  const submission = new Submission(
    exercise,
    new Map(Object.entries(job.handedIn)),
    new Map(Object.entries(job.similar ?? {})),
  );
  const { topology, limits } = exercise;
  const networks =
    job.testbed && new TestbedNetworks(topology, { ...job.testbed, frames: limits.frames, stop });
  /** The reasons why no further test is run. */
  const ends: JobAnswer[] = [];
  const options: RunTestOptions = {
    turn: () => setImmediate() as Promise<void>,
    target: (name) => {
      const text = job.targets[name];
      return text === undefined ? undefined : new SourceFile(`${name}.yaml`, text);
    },
    progress: alive(),
    // What hangs is stopped with this process.
    startController: controllerStarter(job.controller, {
      stopped: ({ expected, seen }) => void ends.push({ kind: "stopped", expected, seen }),
    }),
    ...(networks && { network: () => realNetwork(networks, (fault) => void ends.push(fault)) }),
  };
  try {
    for (const test of exercise.tests) {
      const result = await runTest(test, submission, options);
      stop.throwIfAborted();
      const fault = ends.find(({ kind }) => kind === "fault");
      if (fault === undefined) answer({ kind: "result", result });
      const [end] = ends;
      if (end === undefined) continue;
      answer(fault ?? end);
      return;
    }
    answer({ kind: "done" });
  } finally {
    await networks?.close();
  }
}

/** Reports missing requirements of this machine separately: they are not errors of the submission. */
async function realNetwork(networks: TestbedNetworks, failed: (fault: JobAnswer) => void) {
  try {
    return await networks.open();
  } catch (error) {
    const message =
      error instanceof DiagnosticError ? error.diagnostics.map(formatDiagnostic).join("\n") : String(error);
    failed({ kind: "fault", message });
    throw new StepFailure("the network of real switches starts", "it does not start");
  }
}

const ALIVE_MS = 1000;

/** Tells the parent process about once a second that a test goes on; the tests do not see this clock. */
function alive(): () => void {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < ALIVE_MS) return;
    last = now;
    answer({ kind: "alive" });
  };
}

function answer(one: JobAnswer): void {
  process.stdout.write(`${JSON.stringify(one)}\n`);
}
