/**
 * Grades submissions of an exercise: {@link findSubmissions} reads the submissions, {@link gradeAll} runs the tests of each
 * in its own processes, with the isolation that this machine supports (`isolation.ts`), and {@link reportFiles}
 * formats the results. Tests run on the simulator, or on real switches ({@link KeptNetworks}).
 */
export { coderunnerXml } from "./coderunner.js";
export { serveController } from "./controller/child.js";
export { exerciseTexts, openExerciseFolder, studentFiles } from "./exercise-folder.js";
export { type FoundSubmission, findSubmissions, readHandedIn } from "./find.js";
export { type GradeAllOptions, gradeAll } from "./grade-all.js";
export type { GradedSubmission } from "./grade-one.js";
export { gradebookText, matchSubmissions, PLATFORMS, type Platform, readRoster } from "./gradebook/index.js";
export {
  changesCsv,
  changesSince,
  changesText,
  type EarlierResults,
  type ResultChanges,
  readEarlierResults,
} from "./regrade.js";
export { reportFiles } from "./report.js";
export { absentLines, failureLines, studentLines, teacherLines } from "./result-lines.js";
export { type StudentView, studentView } from "./student-view.js";
export { KeptNetworks } from "./testbed/networks.js";
export { testsOnThisMachine } from "./tests-on-this-machine.js";
export { type ResultVersions, versionsOf } from "./versions.js";
export { serveJob } from "./worker.js";
