/**
 * The P4-16 compiler: source text in, BMv2 JSON and P4Info out.
 *
 *     syntax/  preprocessor, lexer, parser: text -> syntax tree
 *     types/   checker: names, types, constants written into the tree
 *     lower/   elaboration and the passes: tree -> flat program
 *     emit/    flat program -> BMv2 JSON, P4Info
 *     architectures/  a folder each: package, externs, order of the passes, warnings, back end
 *     stdlib/  core.p4, v1model.p4, tna.p4, t2na.p4
 */
export { ARCHITECTURES, presetMacros } from "./architectures/registry.js";
export { CODES as P4_CODES } from "./codes.js";
export {
  type Analysis,
  analyse,
  type Build,
  build,
  buildChecked,
  type CompileInput,
  type CompileResult,
  compile,
  controlPlaneOf,
  outputOf,
} from "./compile.js";
export { standardLibrary } from "./stdlib/index.js";
export type * as ast from "./syntax/ast.js";
export {
  type IncludeResolver,
  keywordSet,
  type Macro,
  type PreprocessorWatcher,
  partsOf,
  preprocess,
  printExpression,
  printUnit,
  Scanner,
  sourceOf,
  wouldJoin,
} from "./syntax/index.js";
export {
  type BoundArguments,
  type ConstantValue,
  constantToString,
  kindWord,
  memberNames,
  PLACE_NAMES,
  sizeOf,
  TOFINO_ANNOTATIONS,
  type Type,
  typeToString,
  unwrapNew,
} from "./types/index.js";
