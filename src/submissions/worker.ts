/** The process that grades one submission: reads a job from stdin, writes its answers to stdout. */
import { setImmediate } from "node:timers/promises";
import { Diagnostics, SourceFile } from "../base/index.js";
import { filesOf, readExercise } from "../exercises/index.js";
import { runTest, type StepFailure, Submission } from "../grading/index.js";
import { controllerStarter } from "./controller/parent.js";
import type { Job, JobAnswer } from "./job.js";

/** Runs the tests of one job, and answers after each of them. */
export async function serveJob(): Promise<void> {
  // Otherwise this signal, which a controller could send, would open Node's debugger.
  process.on("SIGUSR1", () => {});
  const job = JSON.parse(await textOf(process.stdin)) as Job;
  const diagnostics = new Diagnostics();
  const exercise = readExercise(filesOf(new Map(Object.entries(job.exercise))), "", diagnostics);
  diagnostics.throwIfErrors();
  const submission = new Submission(exercise!, new Map(Object.entries(job.handedIn)));
  const stopped: StepFailure[] = [];
  const options = {
    turn: () => setImmediate() as Promise<void>,
    target: (name: string) => {
      const text = job.targets[name];
      return text === undefined ? undefined : new SourceFile(`${name}.yaml`, text);
    },
    startController: controllerStarter(job.controller, (why) => {
      stopped.push(why);
    }),
  };
  for (const test of exercise!.tests) {
    answer({ kind: "result", result: await runTest(test, submission, options) });
    const [why] = stopped;
    if (why === undefined) continue;
    answer({ kind: "stopped", expected: why.expected, seen: why.seen });
    return;
  }
  answer({ kind: "done" });
}

function answer(one: JobAnswer): void {
  process.stdout.write(`${JSON.stringify(one)}\n`);
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
