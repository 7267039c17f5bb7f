/** Grades one submission in a process of its own. */

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { given } from "../../base/index.js";
import { type Exercise, maximumPoints } from "../exercises/index.js";
import { hiddenMark, type TestResult } from "../grading/index.js";
import { isPython } from "./controller/on-this-machine.js";
import type { FoundSubmission } from "./find.js";
import { type Isolation, isolated, limitedOnly, type ProcessLimits, processLimits } from "./isolation.js";
import type { Job, JobAnswer } from "./job.js";
import { digestOf } from "./versions.js";

export interface GradedSubmission {
  readonly name: string;
  readonly points: number;
  readonly of: number;
  /** Digest of its files. */
  readonly files: string;
  /** One result for each test of the exercise, in order. */
  readonly tests: readonly TestResult[];
  /** Why this machine could not grade the submission; the points are then meaningless. */
  readonly fault?: string;
}

/** Maximum size of the results of a submission; they have some kilobytes, because stories are limited. */
const MAX_OUTPUT = 8 << 20;
const MAX_ERRORS = 4096;
/** Additional real time without progress on real switches: a test starts and ends processes. */
const TESTBED_HANG_MS = 60_000;
/** Maximum real time in all, as a multiple of that without progress: a controller could answer slowly again and again. */
const WHOLE_FACTOR = 20;

type End = { readonly expected: string; readonly seen: string };

/** Real time without progress after which a process hangs, in milliseconds. */
function hangOf({ limits }: Exercise, { testbed }: Pick<Job, "testbed">): number {
  return limits.seconds * 1000 + (testbed === undefined ? 0 : TESTBED_HANG_MS);
}

/** What is graded, and how. */
interface Grading {
  readonly submission: FoundSubmission;
  readonly exercise: Exercise;
  readonly job: Omit<Job, "handedIn">;
  /** Command line of the process that grades. */
  readonly command: readonly string[];
  readonly isolation: Isolation;
  /** Real time without progress after which the process is stopped, in milliseconds; by default that of the exercise. */
  readonly hangMs?: number;
  /** On abort, the process is stopped, and the reason is thrown. */
  readonly abandon?: AbortSignal;
}

/**
 * A process that hangs is started again, once, and may be silent for twice the time: it may have waited for a machine with other work. After
 * the second time the result names this limit. All other limits are counts, which do not depend on the machine.
 */
export async function gradeOne(grading: Grading): Promise<GradedSubmission> {
  const { submission, exercise, hangMs = hangOf(exercise, grading.job) } = grading;
  const { refused } = submission;
  if (refused !== undefined) {
    const end = { expected: "a submission that can be read", seen: refused };
    const results = exercise.tests.map((test) => notEnded(test, end, false));
    return graded(submission, exercise, results, end, false);
  }
  const first = await gradeWithin(hangMs, grading);
  if (!first.hangs) return first.result;
  return (await gradeWithin(2 * hangMs, grading)).result;
}

function hanging(hangMs: number): End {
  return {
    expected: `a test goes on within ${hangMs / 1000} s of real time`,
    seen: "it hangs, at the second try too",
  };
}

/** `hangs`: the process was stopped since nothing went on; the result then names this limit. */
async function gradeWithin(
  hangMs: number,
  { submission, exercise, job, command, isolation, abandon }: Grading,
): Promise<{ result: GradedSubmission; hangs: boolean }> {
  const { controller } = exercise;
  const limits = processLimits(exercise.limits);
  const [file, ...args] =
    job.testbed === undefined
      ? isolated(command, surrounding(controller, isolation), limits, controller !== undefined)
      : limitedOnly(command, isolation, limits);
  const child = spawn(file!, args, { stdio: ["pipe", "pipe", "pipe"], detached: true, env: environment() });
  const results: TestResult[] = [];
  let end: End | undefined;
  let done = false;
  let fault: string | undefined;
  const stop = (why: End): void => {
    end ??= why;
    kill(child.pid);
  };
  let hangs = false;
  const tooLate = (): void => {
    hangs = true;
    kill(child.pid);
  };
  const silence = setTimeout(tooLate, hangMs);
  const whole = setTimeout(tooLate, WHOLE_FACTOR * hangMs);
  let length = 0;
  let rest = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    silence.refresh();
    length += text.length;
    if (length > MAX_OUTPUT) {
      stop({ expected: `results of at most ${MAX_OUTPUT} bytes`, seen: "more" });
      return;
    }
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const answer = JSON.parse(line) as JobAnswer;
      if (answer.kind === "alive") continue;
      if (answer.kind === "done") done = true;
      else if (answer.kind === "result") results.push(answer.result);
      else if (answer.kind === "fault") {
        fault = answer.message;
        end ??= {
          expected: "the network of real switches starts",
          seen: "it does not start on this machine",
        };
      } else end ??= answer;
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-MAX_ERRORS);
  });
  child.stdin.on("error", () => {});
  const { files, similar } = submission;
  const request: Job = {
    ...job,
    handedIn: Object.fromEntries(files),
    ...(similar === undefined ? {} : { similar: Object.fromEntries(similar) }),
  };
  // stdin stays open: when this process ends, stdin is closed, and the other process ends too.
  child.stdin.write(`${JSON.stringify(request)}\n`);
  // The process that created namespaces removes them before it ends.
  const close = (): void => (job.testbed === undefined ? kill(child.pid) : void child.stdin.end());
  abandon?.addEventListener("abort", close, { once: true });
  const status = await new Promise<number>((resolve) => {
    child.once("error", () => resolve(127));
    child.once("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  });
  clearTimeout(silence);
  clearTimeout(whole);
  abandon?.removeEventListener("abort", close);
  kill(child.pid);
  abandon?.throwIfAborted();
  hangs &&= !done && end === undefined;
  if (hangs) end = hanging(hangMs);
  // A stopped test has a result; a test whose process has ended has none.
  const told = end !== undefined && results.length > 0 && status === 0;
  if (!done) end ??= endOf(status, limits, errors);
  const result = graded(submission, exercise, results, end, told);
  return { result: fault === undefined ? result : { ...result, fault }, hangs };
}

/** With a result for each test; `end` says why there is none for the later ones, `told` whether an earlier test says so too. */
function graded(
  { name, files }: FoundSubmission,
  exercise: Exercise,
  results: readonly TestResult[],
  end: End | undefined,
  told: boolean,
): GradedSubmission {
  const tests = exercise.tests.map(
    (test, index) => results[index] ?? notEnded(test, end!, told || index > results.length),
  );
  const points = tests.reduce((sum, { points: own }) => sum + own, 0);
  return { name, points, of: maximumPoints(exercise), files: digestOf(files), tests };
}

/** The process that starts a controller in Python remains root, to create the namespaces of the controller. */
function surrounding(controller: string | undefined, isolation: Isolation): Isolation {
  return controller !== undefined && isPython(controller) ? { ...isolation, prefix: [] } : isolation;
}

/** The environment of the process: only the search path of programs. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, P4LOOM_COMMAND } = process.env;
  return {
    ...given({ PATH, P4LOOM_COMMAND }),
  };
}

function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process group has ended.
  }
}

function tooLong(seconds: number): End {
  return {
    expected: `the tests end within ${seconds} s of processor time`,
    seen: "they were stopped at this limit",
  };
}

const OUT_OF_MEMORY = new Set(
  ["SIGABRT", "SIGTRAP", "SIGILL", "SIGSEGV", "SIGBUS"].map((name) => signalStatus(name)),
);

function signalStatus(name: string): number {
  return 128 + constants.signals[name as NodeJS.Signals];
}

function endOf(status: number, { seconds, memoryMb }: ProcessLimits, errors: string): End {
  if (status === signalStatus("SIGXCPU")) return tooLong(seconds);
  if (status === signalStatus("SIGKILL"))
    return {
      expected: "the tests end normally",
      seen: "their process was killed (SIGKILL), by the controller of the submission or by this machine",
    };
  if (
    OUT_OF_MEMORY.has(status) ||
    /allocation failed|out of memory|Invalid (array|string) length/i.test(errors)
  )
    return { expected: `the tests need at most ${memoryMb} MB`, seen: "they need more" };
  const last = errors.trim().split("\n").at(-1) ?? "";
  return {
    expected: "the tests end normally",
    seen: `their process ended with status ${status}${last === "" ? "" : `: ${last}`}`,
  };
}

function notEnded(test: Exercise["tests"][number], end: End, later: boolean): TestResult {
  const { name, points, hint } = test;
  const seen = later ? `not run, because an earlier test did not end normally: ${end.seen}` : end.seen;
  const told = hint === undefined ? {} : { hint };
  return {
    name,
    passed: false,
    ...hiddenMark(test),
    points: 0,
    of: points,
    expected: end.expected,
    seen,
    ...told,
    details: [],
    story: [],
  };
}
