/**
 * Names, types and constants.
 *
 *     program             the declarations of a program in order; `check` starts here
 *     type-declarations, functions, objects, blocks, tables, entries, key-sets, statements, switch, annotations
 *                         what declarations and statements ask for
 *     expressions         operators, binary, slices, members, calls, construction: types and constants
 *     arguments, overloads, infer
 *                         parameters against arguments; type arguments by unification
 *     call-places, core-externs, static-assert, lvalue, compile-time, nesting
 *                         rules on where things are allowed
 *     coerce, casts       implicit and explicit conversions
 *     algebra, fold, default-value, evaluate
 *                         what can be asked of types and constants, also by later passes
 */
export { sizeOf, substitute, typeToString, unwrapNew, widthOf } from "./algebra.js";
export { constantOf } from "./coerce.js";
export { entryPriorities } from "./entries.js";
export { evaluate } from "./evaluate.js";
export { constantToString } from "./fold.js";
export { memberNames } from "./members.js";
export { kindWord } from "./names.js";
export { type CheckedProgram, type CheckOptions, check } from "./program.js";
export type { BoundArguments, ResolvedCall } from "./resolution.js";
export { numberRanges, PLACE_NAMES, TOFINO_ANNOTATIONS } from "./tofino-annotations.js";
export type { ConstantValue, StructLikeType, Type } from "./type.js";
