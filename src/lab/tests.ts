/** Tests of an exercise, as a lab runs them for its page; who grades is handed in. */
import type { ExerciseView, TestResultView } from "./protocol.js";

export interface LabTests {
  /** Whether the project has tests. */
  has(files: Readonly<Record<string, string>>): boolean;
  /** The text and the tests of the exercise; undefined where the project is none. */
  read(files: Readonly<Record<string, string>>): ExerciseView | undefined;
  /** Runs tests by their names, or all, on the files as they are; `tell` gets each as it begins and as it ends. */
  run(
    files: Readonly<Record<string, string>>,
    names: readonly string[] | undefined,
    tell: (result: TestResultView) => void,
  ): Promise<readonly TestResultView[]>;
}
