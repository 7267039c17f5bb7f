/**
 * Conditions over bit vectors, decided without other software: `terms` makes and simplifies them, `solver` turns them into gates and clauses, `sat`
 * decides clauses.
 */
export { Deadline, OutOfTime } from "./deadline.js";
export type { Answer } from "./sat.js";
export { type Solution, Solver, TooLarge, variablesOf } from "./solver.js";
export { Substitution } from "./substitute.js";
export { Evaluator, type Model, type Term, Terms } from "./terms.js";
