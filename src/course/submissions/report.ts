/** Results of grading as files: JSON, CSV, and the format of Gradescope. The same results give the same bytes. */

import { join } from "node:path";
import { claim } from "../../base/index.js";
import type { OutputFile } from "../../toolchain/loading/index.js";
import type { Exercise } from "../exercises/index.js";
import type { TestResult } from "../grading/index.js";
import type { GradedSubmission } from "./grade-one.js";
import type { ResultVersions } from "./versions.js";

/** `results.json`, `results.csv`, and `NAME/results.json` for Gradescope. */
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
    ...submissions.map((one) => ({
      path: join(folder, "gradescope", one.name, "results.json"),
      content: toGradescope(one),
    })),
  ];
}

/** One row for each submission: name, points, and the points of each test (RFC 4180). */
function toCsv({ tests }: Exercise, submissions: readonly GradedSubmission[]): string {
  return csvText([
    ["submission", "points", "of", ...tests.map(({ name }) => name)],
    ...submissions.map((one) => [one.name, one.points, one.of, ...one.tests.map(({ points }) => points)]),
  ]);
}

/** Rows as CSV (RFC 4180). */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** A cell; a text that a spreadsheet would read as a formula gets an apostrophe as prefix. */
function cell(value: string | number): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Gradescope's form of the results of one submission (its autograder specification, "Output format"). */
function toGradescope({ points, tests }: GradedSubmission): string {
  const document = {
    score: points,
    tests: tests.map((test, index) => ({
      number: String(index + 1),
      name: test.name,
      score: test.points,
      max_score: test.of,
      status: test.passed ? claim("testPassed") : "failed",
      output: failureLines(test).join("\n"),
      output_format: "text",
      visibility: "visible",
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The lines of the report on a failed test; none for a test that passed. */
export function failureLines({ expected, seen, place, hint, details, story }: TestResult): string[] {
  if (expected === undefined || seen === undefined) return [];
  return [
    `expected: ${expected}`,
    `seen:     ${seen}`,
    ...(place === undefined ? [] : [`test:     ${place}`]),
    ...(hint === undefined ? [] : [`hint:     ${hint}`]),
    ...details.map((line) => `  ${line}`),
    ...(story.length === 0 ? [] : ["path of the packets:", ...story.map((line) => `  ${line}`)]),
  ];
}
