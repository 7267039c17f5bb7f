/** The tests of an exercise, as a lab runs them for its page; the code that runs them is passed in. */
import type { ExerciseView, TestResultView } from "./protocol.js";

export interface LabTests {
  /** Whether the project has tests. */
  has(files: Readonly<Record<string, string>>): boolean;
  /** The text and the tests of the exercise, in a language if it has them; undefined if the project is not an exercise. */
  read(files: Readonly<Record<string, string>>, language?: string): ExerciseView | undefined;
  /** Runs the named tests, or all, on the present files; `tell` is called when a test begins and when it ends. */
  run(
    files: Readonly<Record<string, string>>,
    names: readonly string[] | undefined,
    tell: (result: TestResultView) => void,
  ): Promise<readonly TestResultView[]>;
}
