/**
 * Mutants of P4 programs: the same program with one small change each, to find out whether tests detect it. {@link mutantsOf} finds all
 * changes of a program by its syntax tree; {@link chooseMutants} takes some of them; {@link mutatedText} is the changed program.
 *
 *     mutate.ts     visits the tree
 *     changes.ts    the changes of each kind of node
 */
export { chooseMutants } from "./choose.js";
export { type Mutant, type MutationKind, mutatedText } from "./mutant.js";
export { mutantsOf } from "./mutate.js";
