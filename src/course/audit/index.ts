/**
 * Audits the tests of an exercise: {@link auditExercise} changes its solution in small ways, grades each changed solution, and says which
 * changes keep all points. `solution/audit.yaml` lists those that no packet shows ({@link readExceptions}).
 */
export {
  type AuditedMutant,
  type AuditedTest,
  type AuditOptions,
  type AuditReport,
  auditExercise,
  type CoveredProgram,
  coverSolution,
  openSurvivors,
} from "./audit.js";
export { type CompareOptions, compareByPackets, type Difference } from "./compare.js";
