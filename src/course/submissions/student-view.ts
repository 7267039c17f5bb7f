/**
 * Results as a student may read them: of hidden tests only how many failed, and their points. Reports for students are made from this
 * view alone, so that no text of a hidden test can be in them.
 */
import type { TestResult } from "../grading/index.js";
import type { GradedSubmission } from "./grade-one.js";

export interface StudentView {
  readonly name: string;
  readonly points: number;
  readonly of: number;
  /** The visible tests. */
  readonly tests: readonly TestResult[];
  /** The hidden tests together; absent: the exercise has none, or they were not run. */
  readonly hidden?: {
    readonly tests: number;
    readonly failed: number;
    readonly points: number;
    readonly of: number;
  };
}

export function studentView({ name, points, of, tests }: GradedSubmission): StudentView {
  const hidden = tests.filter((test) => test.hidden);
  const sum = (key: "points" | "of"): number => hidden.reduce((total, test) => total + test[key], 0);
  const together = {
    tests: hidden.length,
    failed: hidden.filter(({ passed }) => !passed).length,
    points: sum("points"),
    of: sum("of"),
  };
  return {
    ...{ name, points, of, tests: tests.filter((test) => !test.hidden) },
    ...(hidden.length === 0 ? {} : { hidden: together }),
  };
}
