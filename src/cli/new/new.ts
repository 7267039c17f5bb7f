/** `p4loom new WHAT NAME`: a folder with a first version of something of one's own. */
import { fail } from "../../base/index.js";
import { CODES } from "../codes.js";

export interface NewArguments {
  kind?: string;
  /** Of a course: the platform whose questions are written. */
  for?: string;
}

/** Fails with P40005 for a WHAT that there is not, and for exercises or a platform of something that is no course. */
export async function writeNew(
  what: string,
  name: string,
  exercises: readonly string[],
  { kind, for: platform }: NewArguments = {},
): Promise<number> {
  if (kind !== undefined && what !== "scheme" && what !== "experiment")
    fail(CODES.wrongValue, undefined, `new ${what} ${name}: only schemes and experiments have kinds`);
  if (platform !== undefined && what !== "course")
    fail(CODES.wrongValue, undefined, `new ${what} ${name}: only a course is for a platform`);
  if (platform !== undefined && platform !== "moodle")
    fail(CODES.wrongValue, undefined, `--for ${platform}: expected moodle`);
  if (platform !== undefined) return (await import("./new-questions.js")).newQuestions(name, exercises);
  if (what === "course") return (await import("./new-course.js")).newCourse(name, exercises);
  if (exercises.length > 0)
    fail(CODES.wrongValue, undefined, `new ${what} ${name}: only a course is made of exercises`);
  if (what === "exercise") return (await import("./new-exercise.js")).newExercise(name);
  if (what === "experiment") return (await import("./new-experiment.js")).newExperiment(name, kind);
  return (await import("./new-scheme.js")).newScheme(name, kind);
}
