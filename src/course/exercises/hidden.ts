/**
 * Hidden tests of an exercise: those of `hidden/tests.yaml`. `exercise.yaml`, which students have, says how many there are and their
 * points, so that it says the same with and without the folder `hidden`, which students do not get.
 */
import { pathIn, SourceFile } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import { CODES } from "./codes.js";
import { hiddenTestsSchema, type RawExercise } from "./exercise-schema.js";
import { type ExercisePlace, type ExerciseTest, readTests, type TestSurroundings } from "./tests.js";

/** Folder of the hidden tests and their files, in an exercise's folder. */
const HIDDEN_FOLDER = "hidden";
/** Folder of the solution, in an exercise's folder. */
export const SOLUTION_FOLDER = "solution";

/** Folders of an exercise that no student gets. */
export const TEACHER_FOLDERS = [HIDDEN_FOLDER, SOLUTION_FOLDER] as const;

const HIDDEN_FILE = `${HIDDEN_FOLDER}/tests.yaml`;

/** What students may know of hidden tests. */
export interface HiddenTests {
  readonly tests: number;
  readonly points: number;
  /** Whether the tests are in the folder: in that of a student they are not. */
  readonly here: boolean;
}

/**
 * The hidden tests; none where the folder does not have them. P46308: the key `hidden` of `exercise.yaml` is missing, or does not say how
 * many tests with how many points the file has. Errors of the tests: P43001 to P43004, and those of `readTests`.
 */
export function readHidden(
  said: RawExercise["hidden"],
  surroundings: TestSurroundings,
  place: ExercisePlace,
): { readonly summary: HiddenTests | undefined; readonly tests: readonly ExerciseTest[] } {
  const { files, folder, diagnostics } = place;
  const path = pathIn(folder, HIDDEN_FILE);
  if (!files.exists(path)) return { summary: said && { ...said, here: false }, tests: [] };
  const document = loadDocument(new SourceFile(path, files.read(path)), hiddenTestsSchema, diagnostics);
  if (document === undefined) return { summary: undefined, tests: [] };
  const { value, locate } = document;
  const points = value.tests.reduce((sum, test) => sum + test.points, 0);
  const right = `hidden: { tests: ${value.tests.length}, points: ${points} }`;
  if (said === undefined || said.tests !== value.tests.length || said.points !== points)
    diagnostics.error(
      CODES.hiddenPoints,
      place.locate(["hidden"]),
      said === undefined
        ? `${path} has hidden tests, and exercise.yaml does not say so`
        : `hidden: { tests: ${said.tests}, points: ${said.points} } is not what ${path} has`,
      `expected ${right}`,
    );
  const tests = readTests(value.tests, true, surroundings, { ...place, locate });
  return { summary: { tests: value.tests.length, points, here: true }, tests };
}
