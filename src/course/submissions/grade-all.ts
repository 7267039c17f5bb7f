/** Grades many submissions, some of them in parallel, each in processes of its own. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Diagnostics, fail, given } from "../../base/index.js";
import { ownCommand } from "../../toolchain/loading/index.js";
import type { Exercise } from "../exercises/index.js";
import { CODES } from "./codes.js";
import { CONTROLLER_COMMAND, isPython } from "./controller/on-this-machine.js";
import { pythonStart } from "./controller/python.js";
import { exerciseTexts, targetTexts } from "./exercise-folder.js";
import type { FoundSubmission } from "./find.js";
import { type GradedSubmission, gradeOne } from "./grade-one.js";
import { examineIsolation, type Isolation, isolated, processLimits } from "./isolation.js";
import type { TestbedJob } from "./job.js";
import { absentLines } from "./result-lines.js";
import { type TestbedEngine, TestbedNetworks } from "./testbed/networks.js";

export interface GradeAllOptions {
  /** Number of submissions that are graded in parallel. */
  readonly workers: number;
  /** Real switches for the tests; absent: the simulator. */
  readonly testbed?: TestbedEngine;
  /** Real time without progress after which a submission is stopped, in milliseconds; by default that of the exercise. */
  readonly hangMs?: number;
  /** On abort, running processes are stopped and removed, and no further ones are started. */
  readonly stop?: AbortSignal;
  /** Called when a submission is graded. */
  graded?(submission: GradedSubmission, count: number): void;
}

/** The subcommand of p4loom that starts the process that grades a submission. */
const WORKER_COMMAND = "grader";

const BARE: Isolation = { prefix: [], namespaces: false, limits: false, permissions: false };

/**
 * The results in the order of the submissions. Another engine than those of the exercise is an error (P46317). Missing isolation of this machine is a warning (P46312). Missing requirements of
 * real switches are an error before the first submission is graded (P431xx), and a warning later (P46314).
 */
export async function gradeAll(
  submissions: readonly FoundSubmission[],
  exercise: Exercise,
  folder: string,
  diagnostics: Diagnostics,
  { workers, testbed, stop, hangMs, graded }: GradeAllOptions,
): Promise<GradedSubmission[]> {
  refuseEngine(exercise, testbed?.engine ?? "sim");
  const own = ownCommand();
  const isolation = await examineIsolation(own);
  if (!isolation.limits) {
    diagnostics.warning(
      CODES.noIsolation,
      undefined,
      "this machine has no prlimit: only real time is limited, not memory and processor time",
    );
  }
  if (exercise.controller !== undefined && !isolation.namespaces) {
    diagnostics.warning(
      CODES.noIsolation,
      undefined,
      "namespaces are not available: controllers of submissions can reach the network",
      isolation.permissions
        ? "they cannot write files or start processes"
        : "they can also write files and start processes",
    );
  }
  const [absent] = absentLines(exercise);
  if (absent !== undefined)
    diagnostics.warning(CODES.hiddenAbsent, undefined, absent, "the points are those of the visible tests");
  if (testbed !== undefined) await tryTestbed(exercise, testbed, stop);
  const { controller, limits } = exercise;
  const python =
    controller === undefined || !isPython(controller)
      ? undefined
      : await pythonStart(processLimits(limits), [resolve(folder)]);
  if (python !== undefined && "reason" in python)
    fail(
      CODES.noPython,
      undefined,
      `${controller} cannot be isolated on this machine: ${python.reason}`,
      "only the author of a controller in Python should run it without isolation: p4loom net does so",
    );
  const { permissions } = isolation;
  // In the simulator it inherits namespaces and limits from the process that starts it.
  const ofController = testbed === undefined ? { ...BARE, permissions } : isolation;
  const job = {
    exercise: exerciseTexts(folder),
    targets: targetTexts(),
    controller:
      python?.command ?? isolated([...own, CONTROLLER_COMMAND], ofController, processLimits(limits), false),
  };
  const results: GradedSubmission[] = [];
  let next = 0;
  let count = 0;
  const work = async (): Promise<void> => {
    while (next < submissions.length) {
      stop?.throwIfAborted();
      const index = next++;
      const one = await withFolder(testbed, (real) =>
        gradeOne({
          submission: submissions[index]!,
          exercise,
          job: { ...job, ...given({ testbed: real }) },
          command: [...own, WORKER_COMMAND],
          isolation,
          ...given({ abandon: stop, hangMs }),
        }),
      );
      results[index] = one;
      if (one.fault !== undefined)
        diagnostics.warning(CODES.notGraded, undefined, `${one.name} could not be graded`, one.fault);
      graded?.(one, ++count);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, submissions.length) }, work));
  return results;
}

/** Fails with P46317 for an engine that does not run the exercise's programs: points on it would have no meaning. */
function refuseEngine({ title, engines }: Exercise, engine: Exercise["engines"][number]): void {
  if (engines.includes(engine)) return;
  fail(
    CODES.otherEngine,
    undefined,
    `--engine ${engine}: the programs of the exercise "${title}" do not run on it`,
    `engines: ${engines.join(", ")} (exercise.yaml)`,
  );
}

/** Starts the network of the exercise once. Fails with the missing requirements of this machine. */
async function tryTestbed(
  { topology, limits: { frames } }: Exercise,
  testbed: TestbedEngine,
  stop: AbortSignal = new AbortController().signal,
): Promise<void> {
  await withFolder(testbed, async (job) => {
    const networks = new TestbedNetworks(topology, { ...job!, frames, stop });
    try {
      await (await networks.open()).close();
    } finally {
      await networks.close();
    }
  });
}

/** Creates a folder for the logs of one submission's switches, and removes it after `work`. */
async function withFolder<T>(
  testbed: TestbedEngine | undefined,
  work: (job: TestbedJob | undefined) => Promise<T>,
): Promise<T> {
  if (testbed === undefined) return work(undefined);
  const folder = mkdtempSync(join(tmpdir(), "p4loom-grade-"));
  try {
    return await work({ ...testbed, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
