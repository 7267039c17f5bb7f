/**
 * Results of grading as files: JSON and CSV for the teacher; a text and Gradescope's format for each student, which tell nothing of
 * hidden tests but their points. The same results give the same bytes.
 */
import { join } from "node:path";
import { claim, printable } from "../../base/index.js";
import type { OutputFile } from "../../toolchain/loading/index.js";
import type { Exercise } from "../exercises/index.js";
import { csvText } from "./csv.js";
import type { GradedSubmission } from "./grade-one.js";
import { failureLines, hiddenLine, studentLines } from "./result-lines.js";
import { type StudentView, studentView } from "./student-view.js";
import type { ResultVersions } from "./versions.js";

/** `results.json`, `results.csv`, and for each student `students/NAME.txt` and `gradescope/NAME/results.json`. */
export function reportFiles(
  exercise: Exercise,
  submissions: readonly GradedSubmission[],
  folder: string,
  versions: ResultVersions,
): OutputFile[] {
  const json = { exercise: exercise.title, versions, submissions };
  return [
    { path: join(folder, "results.json"), content: `${JSON.stringify(json, null, 2)}\n` },
    { path: join(folder, "results.csv"), content: toCsv(exercise, submissions) },
    ...submissions.map(studentView).flatMap((one) => [
      {
        path: join(folder, "students", `${one.name}.txt`),
        content: `${studentLines(one).map(printable).join("\n")}\n`,
      },
      { path: join(folder, "gradescope", one.name, "results.json"), content: toGradescope(one) },
    ]),
  ];
}

/** One row for each submission: name, points, and the points of each test (RFC 4180). */
function toCsv({ tests }: Exercise, submissions: readonly GradedSubmission[]): string {
  return csvText([
    ["submission", "points", "of", ...tests.map(({ name, hidden }) => (hidden ? `${name} (hidden)` : name))],
    ...submissions.map((one) => [one.name, one.points, one.of, ...one.tests.map(({ points }) => points)]),
  ]);
}

/** Gradescope's form of the results of one submission (its autograder specification, "Output format"). */
function toGradescope({ points, tests, hidden }: StudentView): string {
  const common = { output_format: "text", visibility: "visible" };
  const status = (passed: boolean): string => (passed ? claim("testPassed") : "failed");
  const visible = tests.map((test, index) => ({
    number: String(index + 1),
    name: test.name,
    score: test.points,
    max_score: test.of,
    status: status(test.passed),
    output: failureLines(test).join("\n"),
    ...common,
  }));
  const together = hidden && {
    number: String(tests.length + 1),
    name: "hidden tests",
    score: hidden.points,
    max_score: hidden.of,
    status: status(hidden.failed === 0),
    output: hiddenLine(hidden),
    ...common,
  };
  const document = { score: points, tests: [...visible, ...(together === undefined ? [] : [together])] };
  return `${JSON.stringify(document, null, 2)}\n`;
}
