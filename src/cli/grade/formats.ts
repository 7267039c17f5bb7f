/** `p4loom grade --format`: the results as a gradebook of a learning platform, or as GitHub Classroom reads them. */
import { randomUUID } from "node:crypto";
import { type Diagnostics, defined, fail, printable } from "../../base/index.js";
import { type Exercise, maximumPoints } from "../../course/exercises/index.js";
import {
  type GradedSubmission,
  gradebookText,
  matchSubmissions,
  PLATFORMS,
  type Platform,
  readRoster,
  studentLines,
  studentView,
} from "../../course/submissions/index.js";
import { readSource } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { oneOf } from "../net/dialogue.js";
import type { GradeArguments } from "./grade-options.js";

const FORMATS = [...PLATFORMS, "classroom"] as const;

/** Writes the results in the format. */
type Format = (graded: readonly GradedSubmission[]) => string;

/**
 * The format of `--format`; undefined without it. Finds the student of each submission before anything is graded, so that an unclear one is
 * reported at once. Fails with P40005 for options that do not fit, and with the errors of a roster.
 */
export function openFormat(
  options: GradeArguments,
  exercise: Exercise,
  found: readonly { readonly name: string }[],
  diagnostics: Diagnostics,
): Format | undefined {
  const { roster, column, submissions, json, out, student } = options;
  const refuse = (others: Readonly<Record<string, unknown>>, why: string): void => {
    const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
    if (other !== undefined) fail(CODES.wrongValue, undefined, `--${other} has no meaning ${why}`);
  };
  if (options.format === undefined) {
    refuse({ roster, column }, "without --format");
    return undefined;
  }
  const format = oneOf("--format", options.format, FORMATS);
  refuse({ json, student }, `with --format ${format}, which has one form`);
  if (format !== "classroom") return gradebook(format, options, exercise, found, diagnostics);
  refuse(
    { submissions, out, roster, column },
    "with --format classroom, which reports the folder's own files",
  );
  return ([one]) => classroomText(defined(one));
}

function gradebook(
  platform: Platform,
  { roster: path, column, submissions }: GradeArguments,
  exercise: Exercise,
  found: readonly { readonly name: string }[],
  diagnostics: Diagnostics,
): Format {
  if (path === undefined || submissions === undefined)
    return fail(
      CODES.wrongValue,
      undefined,
      `--format ${platform} needs --submissions DIR and --roster FILE`,
      `FILE is the gradebook that ${platform} exports, which has its students`,
    );
  const roster = readRoster(readSource(path), platform, diagnostics);
  const names = found.map(({ name }) => name);
  const owners = matchSubmissions(names, roster, diagnostics);
  const title = column ?? exercise.title;
  return (results) => gradebookText({ roster, owners, results, title, of: maximumPoints(exercise) });
}

/**
 * The report for the student, then the points as the notices from which GitHub Classroom reads them (`notify-classroom.js` of
 * classroom-resources/autograding-grading-reporter). The report can have any text of the student: commands of a workflow are off while it is
 * printed, until a word that nobody can know before (GitHub Actions, "Workflow commands", stop-commands).
 */
function classroomText(graded: GradedSubmission): string {
  const view = studentView(graded);
  const word = randomUUID();
  const points = JSON.stringify({ totalPoints: view.points, maxPoints: view.of });
  return [
    `::stop-commands::${word}`,
    ...studentLines(view).map(printable),
    `::${word}::`,
    `::notice title=Autograding complete::Points ${view.points}/${view.of}`,
    `::notice title=Autograding report::${points}`,
    "",
  ].join("\n");
}
