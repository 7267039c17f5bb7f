/** Grades many submissions, some at a time, each in processes of its own. */
import type { Diagnostics } from "../base/index.js";
import type { Exercise } from "../exercises/index.js";
import { ownCommand } from "../loading/index.js";
import { CODES } from "./codes.js";
import { exerciseTexts, targetTexts } from "./exercise-folder.js";
import type { FoundSubmission } from "./find.js";
import { type GradedSubmission, gradeOne } from "./grade-one.js";
import { examineIsolation, type Isolation, isolated } from "./isolation.js";

export interface GradeAllOptions {
  /** Submissions at a time. */
  readonly workers: number;
  /** Called when a submission is graded. */
  graded?(submission: GradedSubmission, count: number): void;
}

/** Words after p4loom's own command that start the two kinds of processes. */
const WORKER_COMMAND = "grader";
const CONTROLLER_COMMAND = "controller";

const BARE: Isolation = { prefix: [], namespaces: false, limits: false, permissions: false };

/** The results in the order of the submissions. What this machine lacks to isolate them is a warning (P46312). */
export async function gradeAll(
  submissions: readonly FoundSubmission[],
  exercise: Exercise,
  folder: string,
  diagnostics: Diagnostics,
  { workers, graded }: GradeAllOptions,
): Promise<GradedSubmission[]> {
  const own = ownCommand();
  const isolation = await examineIsolation(own);
  if (!isolation.limits) {
    diagnostics.warning(
      CODES.noIsolation,
      undefined,
      "there is no prlimit here: memory and processor time are limited by time alone",
    );
  }
  if (exercise.controller !== undefined && !isolation.namespaces) {
    diagnostics.warning(
      CODES.noIsolation,
      undefined,
      "there are no namespaces for us here: controllers of submissions can reach the network",
      isolation.permissions
        ? "they cannot write files or start processes"
        : "they can write files and start processes, too",
    );
  }
  const { permissions } = isolation;
  const job = {
    exercise: exerciseTexts(folder),
    targets: targetTexts(),
    // It inherits namespaces and limits from the process that starts it.
    controller: isolated([...own, CONTROLLER_COMMAND], { ...BARE, permissions }, exercise.limits, false),
  };
  const results: GradedSubmission[] = [];
  let next = 0;
  let count = 0;
  const work = async (): Promise<void> => {
    while (next < submissions.length) {
      const index = next++;
      const one = await gradeOne(submissions[index]!, exercise, job, [...own, WORKER_COMMAND], isolation);
      results[index] = one;
      graded?.(one, ++count);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, submissions.length) }, work));
  return results;
}

/** The command of a controller whose parent is not isolated itself. */
export function controllerCommand(
  own: readonly string[],
  isolation: Isolation,
  limits: Exercise["limits"],
): readonly string[] {
  return isolated([...own, CONTROLLER_COMMAND], isolation, limits, false);
}
