/** `p4loom new WHAT NAME`: a folder with a first version of something of one's own. */
import { fail } from "../../base/index.js";
import { CODES } from "../codes.js";

/** Fails with P40005 for a WHAT that there is not, and for exercises of something that is no course. */
export async function writeNew(what: string, name: string, exercises: readonly string[]): Promise<number> {
  if (what === "course") return (await import("./new-course.js")).newCourse(name, exercises);
  if (exercises.length > 0)
    fail(CODES.wrongValue, undefined, `new ${what} ${name}: only a course is made of exercises`);
  if (what === "exercise") return (await import("./new-exercise.js")).newExercise(name);
  return (await import("./new-scheme.js")).newScheme(name);
}
