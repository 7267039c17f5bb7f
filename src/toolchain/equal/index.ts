/** Whether two programs are one: {@link comparePrograms} compares them path by path, {@link tableDifference} what controllers see of them; {@link renamed} gives one the names of the other. */
export { type Comparison, comparePrograms } from "./compare.js";
export { arrayDifference, tableDifference } from "./interface.js";
export { type NameMap, nameProblems, renamed } from "./rename.js";
export type { Difference } from "./trial.js";
