/** Results as lines for a reader: the whole of them for a teacher, and what a student may read. */
import { claim } from "../../base/index.js";
import type { Exercise } from "../exercises/index.js";
import type { TestResult } from "../grading/index.js";
import type { GradedSubmission } from "./grade-one.js";
import type { StudentView } from "./student-view.js";

/** What a student reads of the hidden tests. */
export function hiddenLine({ tests, failed }: NonNullable<StudentView["hidden"]>): string {
  const all = `${tests} hidden test${tests === 1 ? "" : "s"}`;
  return failed === 0 ? `${all}, none failed` : `${all}, ${failed} failed`;
}

/** The report for a student: each visible test, the hidden ones in one line, the points. */
export function studentLines({ points, of, tests, hidden }: StudentView): string[] {
  return [
    ...tests.flatMap(testLines),
    ...(hidden === undefined
      ? []
      : [`${mark(hidden.failed === 0)}  ${hidden.points}/${hidden.of}  ${hiddenLine(hidden)}`]),
    pointsLine(points, of),
  ];
}

/** The report for a teacher: all tests. */
export function teacherLines({ points, of, tests }: GradedSubmission): string[] {
  return [...tests.flatMap(testLines), pointsLine(points, of)];
}

/** What the report of one submission says of hidden tests that are not in the exercise's folder. */
export function absentLines({ hidden }: Pick<Exercise, "hidden">): string[] {
  if (hidden === undefined || hidden.here) return [];
  const { tests, points } = hidden;
  return [
    `${tests} hidden test${tests === 1 ? "" : "s"} with ${points} point${points === 1 ? "" : "s"} did not run: not in this folder`,
  ];
}

function testLines(test: TestResult): string[] {
  const name = test.hidden ? `${test.name} (hidden)` : test.name;
  return [
    `${mark(test.passed)}  ${test.points}/${test.of}  ${name}`,
    ...failureLines(test).map((line) => `        ${line}`),
  ];
}

const mark = (passed: boolean): string => (passed ? claim("testPassed") : "FAILED");

const pointsLine = (points: number, of: number): string => `${points} of ${of} point${of === 1 ? "" : "s"}`;

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
