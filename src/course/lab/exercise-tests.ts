/** Runs the tests of an exercise, each on a new network: the network that the page shows does not change. */
import { DiagnosticError, Diagnostics, fail, given } from "../../base/index.js";
import { EXERCISE_FILE, type Exercise, readExercise } from "../exercises/index.js";
import { type RunTestOptions, runTest, Submission, type TestResult } from "../grading/index.js";
import { CODES } from "./codes.js";
import { ProjectFiles } from "./files.js";
import type { ExerciseView, TestResultView } from "./protocol.js";
import type { LabTests } from "./tests.js";

const TEXT_FILE = "README.md";

/** The exercise of a project; undefined if it has no `exercise.yaml`. Fails with the errors of that file. */
function exerciseOf(files: Readonly<Record<string, string>>): Exercise | undefined {
  if (files[EXERCISE_FILE] === undefined) return undefined;
  const diagnostics = new Diagnostics();
  const folder = new ProjectFiles({ title: "", files, open: { kind: "exercise" } });
  const exercise = readExercise(folder, "", diagnostics);
  if (exercise === undefined || diagnostics.hasErrors) throw new DiagnosticError(diagnostics.list);
  // A lab shows every word of its tests.
  return { ...exercise, tests: exercise.tests.filter(({ hidden }) => !hidden) };
}

/** @param optionsFor gives the options with which the tests of an exercise are run */
export function exerciseTests(optionsFor: (exercise: Exercise) => RunTestOptions): LabTests {
  return {
    has: (files) => files[EXERCISE_FILE] !== undefined,
    read(files): ExerciseView | undefined {
      const exercise = exerciseOf(files);
      if (exercise === undefined) return undefined;
      const { title, about, tests, handsIn, hidden } = exercise;
      const [start] = handsIn;
      return {
        title,
        text: files[TEXT_FILE] ?? about,
        tests: tests.map(({ name, points }) => ({ name, title: name, points })),
        ...given({ start, hidden: hidden && { tests: hidden.tests, points: hidden.points } }),
      };
    },
    async run(files, names, tell) {
      const exercise =
        exerciseOf(files) ??
        fail(CODES.notHere, undefined, "this project has no tests: it is not an exercise");
      const unknown = names?.find((name) => !exercise.tests.some((test) => test.name === name));
      if (unknown !== undefined)
        fail(
          CODES.notHere,
          undefined,
          `the exercise has no test "${unknown}"`,
          `its tests: ${exercise.tests.map(({ name }) => name).join("; ")}`,
        );
      const handedIn = exercise.handsIn.flatMap((path) =>
        files[path] === undefined ? [] : [[path, files[path]] as const],
      );
      const submission = new Submission(exercise, new Map(handedIn));
      const options = optionsFor(exercise);
      const results: TestResultView[] = [];
      for (const test of exercise.tests.filter(({ name }) => names?.includes(name) ?? true)) {
        const { name, points } = test;
        tell({ name, state: "running", points: 0, of: points, text: [] });
        const result = viewOf(await runTest(test, submission, options));
        results.push(result);
        tell(result);
        await options.turn();
      }
      return results;
    },
  };
}

function viewOf({
  name,
  passed,
  points,
  of,
  expected,
  seen,
  hint,
  details,
  story,
}: TestResult): TestResultView {
  const text = [
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(seen === undefined ? [] : [`seen: ${seen}`]),
    ...details,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ...story,
  ];
  return { name, state: passed ? "passed" : "failed", points, of, text };
}
