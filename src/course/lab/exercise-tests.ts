/** Runs the tests of an exercise, each on a new network: the network that the page shows does not change. */
import { DiagnosticError, Diagnostics, fail, given } from "../../base/index.js";
import {
  EXERCISE_FILE,
  type Exercise,
  readExercise,
  readTranslation,
  TEXT_FILE,
  type Translation,
  translationsOf,
} from "../exercises/index.js";
import { type RunTestOptions, runTest, Submission, type TestResult } from "../grading/index.js";
import { CODES } from "./codes.js";
import { ProjectFiles } from "./files.js";
import type { ExerciseView, ResultLine, TestResultView } from "./protocol.js";
import type { LabTests } from "./tests.js";

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

/** What is wrong with the texts of an exercise in other languages; nothing for a project that is no exercise. */
export function checkTranslations(files: Readonly<Record<string, string>>): Diagnostics {
  const diagnostics = new Diagnostics();
  if (files[EXERCISE_FILE] === undefined) return diagnostics;
  const folder = new ProjectFiles({ title: "", files, open: { kind: "exercise" } });
  // The errors of the exercise itself are shown in its lab.
  const exercise = readExercise(folder, "", new Diagnostics());
  if (exercise === undefined) return diagnostics;
  for (const language of translationsOf(exercise)) readTranslation(exercise, language, diagnostics);
  return diagnostics;
}

/** The texts in a language: `de-AT` also takes those of `de`. Undefined if the exercise has none, or wrong ones. */
function translated(exercise: Exercise, language: string) {
  const wanted = language.toLowerCase();
  const all = translationsOf(exercise);
  const found =
    all.find((one) => one.toLowerCase() === wanted) ??
    all.find((one) => one.toLowerCase() === wanted.split("-")[0]);
  if (found === undefined) return undefined;
  // The command that opens a lab reports the errors of a translation to the teacher; students then read the original.
  const translation: Translation | undefined = readTranslation(exercise, found, new Diagnostics());
  if (translation === undefined) return undefined;
  const { title, about, text, tests } = translation;
  return { texts: { title, text: text === "" ? about : text, language: found }, tests };
}

/** @param optionsFor gives the options with which the tests of an exercise are run */
export function exerciseTests(optionsFor: (exercise: Exercise) => RunTestOptions): LabTests {
  return {
    has: (files) => files[EXERCISE_FILE] !== undefined,
    read(files, language): ExerciseView | undefined {
      const exercise = exerciseOf(files);
      if (exercise === undefined) return undefined;
      const { title, about, tests, handsIn, hidden } = exercise;
      const [start] = handsIn;
      const own = language === undefined ? undefined : translated(exercise, language);
      return {
        title,
        text: files[TEXT_FILE] ?? about,
        ...own?.texts,
        tests: tests.map(({ name, points }) => {
          const test = own?.tests.get(name);
          return { name, title: test?.name ?? name, points, ...given({ hint: test?.hint }) };
        }),
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
        tell({ name, state: "running", points: 0, of: points, lines: [] });
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
  const part = (kind: "expected" | "seen" | "hint", text: string | undefined): ResultLine[] =>
    text === undefined ? [] : [{ part: kind, text }];
  const lines = [
    ...part("expected", expected),
    ...part("seen", seen),
    ...details.map((text) => ({ text })),
    ...part("hint", hint),
    ...story.map((text) => ({ text })),
  ];
  return { name, state: passed ? "passed" : "failed", points, of, lines };
}
