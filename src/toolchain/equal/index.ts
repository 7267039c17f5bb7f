/** Whether two programs are one: {@link comparePrograms} compares them path by path, {@link tableDifference} what controllers see of them. */
export { type Comparison, comparePrograms } from "./compare.js";
export { tableDifference } from "./interface.js";
export type { Difference } from "./trial.js";
