/** `p4loom grade --format`: the results as the gradebook of a learning platform. */
import { type Diagnostics, fail } from "../../base/index.js";
import { type Exercise, maximumPoints } from "../../course/exercises/index.js";
import {
  type GradedSubmission,
  gradebookText,
  matchSubmissions,
  PLATFORMS,
  readRoster,
} from "../../course/submissions/index.js";
import { readSource } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { oneOf } from "../net/dialogue.js";
import type { GradeArguments } from "./grade-options.js";

/**
 * Finds the student of each submission before anything is graded, so that an unclear one is reported at once. The result writes the gradebook;
 * undefined: no gradebook is asked for. Fails with P40005 for options that do not fit, and with the errors of a roster.
 */
export function openGradebook(
  { format, roster: path, column, submissions, json }: GradeArguments,
  exercise: Exercise,
  found: readonly { readonly name: string }[],
  diagnostics: Diagnostics,
): ((graded: readonly GradedSubmission[]) => string) | undefined {
  if (format === undefined) {
    const [extra] = Object.entries({ roster: path, column }).find(([, value]) => value !== undefined) ?? [];
    if (extra !== undefined) fail(CODES.wrongValue, undefined, `--${extra} has no meaning without --format`);
    return undefined;
  }
  const platform = oneOf("--format", format, PLATFORMS);
  if (path === undefined)
    return fail(
      CODES.wrongValue,
      undefined,
      `--format ${platform} needs --roster FILE`,
      `FILE is the gradebook that ${platform} exports, which has its students`,
    );
  if (submissions === undefined)
    fail(CODES.wrongValue, undefined, `--format ${platform} needs --submissions DIR`);
  if (json)
    fail(CODES.wrongValue, undefined, `--format ${platform} prints CSV: it has no meaning with --json`);
  const roster = readRoster(readSource(path), platform, diagnostics);
  const names = found.map(({ name }) => name);
  const owners = matchSubmissions(names, roster, diagnostics);
  const title = column ?? exercise.title;
  return (results) => gradebookText({ roster, owners, results, title, of: maximumPoints(exercise) });
}
