/** `p4loom grade`: the tests of an exercise, with points. */
import { basename, resolve } from "node:path";
import { Diagnostics, formatTable, printable } from "../../base/index.js";
import { writeFiles } from "../../loading/index.js";
import {
  failureLines,
  findSubmissions,
  type GradedSubmission,
  gradeAll,
  openExerciseFolder,
  readHandedIn,
  reportFiles,
} from "../../submissions/index.js";
import { EXIT, printDiagnostics } from "../outcome.js";
import type { GradeArguments } from "./grade-options.js";

/** Without submissions, status 1 unless all tests pass; with them, 0 when all are graded. */
export async function grade(folder: string, options: GradeArguments): Promise<number> {
  const diagnostics = new Diagnostics();
  const exercise = openExerciseFolder(folder, diagnostics);
  const { submissions: from, out, workers, json } = options;
  const found =
    from === undefined
      ? [{ name: basename(resolve(folder)), files: readHandedIn(folder, exercise.handsIn, diagnostics) }]
      : findSubmissions(from, exercise.handsIn, diagnostics);
  const graded = await gradeAll(found, exercise, folder, diagnostics, { workers });
  printDiagnostics(diagnostics.list);
  if (out !== undefined) writeFiles(reportFiles(exercise, graded, out));
  if (json) process.stdout.write(`${JSON.stringify({ exercise: exercise.title, submissions: graded })}\n`);
  else
    process.stdout.write(
      `${(from === undefined ? oneText(graded[0]!) : manyText(graded)).map(printable).join("\n")}\n`,
    );
  const all = graded.every(({ points, of }) => points === of);
  return from === undefined && !all ? EXIT.wrongInput : EXIT.success;
}

function oneText({ points, of, tests }: GradedSubmission): string[] {
  const lines = tests.flatMap((test) => [
    `${test.passed ? "passed" : "FAILED"}  ${test.points}/${test.of}  ${test.name}`,
    ...failureLines(test).map((line) => `        ${line}`),
  ]);
  return [...lines, `${points} of ${of} points`];
}

function manyText(graded: readonly GradedSubmission[]): string[] {
  const rows = graded.map(({ name, points, of, tests }) => [
    printable(name),
    points,
    of,
    tests.flatMap(({ passed }, index) => (passed ? [] : [index + 1])).join(" "),
  ]);
  return formatTable(["submission", "points", "of", "failed tests"], rows).split("\n");
}
