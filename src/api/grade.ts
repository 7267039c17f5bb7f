/**
 * `p4loom/grade`: exercises with tests, and the grading of submissions. Page: docs/exercises.md.
 */
export { DiagnosticError, Diagnostics, formatDiagnostic } from "../base/index.js";
export {
  type Exercise,
  type ExerciseFiles,
  type ExerciseTest,
  maximumPoints,
  openExercise,
  readExercise,
} from "../course/exercises/index.js";
export {
  type RunTestOptions,
  runTest,
  runTests,
  Submission,
  type TestResult,
} from "../course/grading/index.js";
export {
  type FoundSubmission,
  failureLines,
  findSubmissions,
  type GradeAllOptions,
  type GradedSubmission,
  gradeAll,
  openExerciseFolder,
  type ResultVersions,
  reportFiles,
  versionsOf,
} from "../course/submissions/index.js";
