/**
 * The P4-16 compiler for v1model: source text in, BMv2 JSON and P4Info out.
 *
 *     syntax/  preprocessor, lexer, parser: text -> syntax tree
 *     types/   checker: names, types, constants written into the tree
 *     lower/   elaboration and the passes (their order: lower/passes.ts): tree -> flat program
 *     emit/    flat program -> BMv2 JSON, P4Info
 *     stdlib/  core.p4 and v1model.p4
 */
export { type CompileInput, type CompileResult, compile } from "./compile.js";
export { standardLibrary } from "./stdlib/index.js";
export {
  type IncludeResolver,
  type PreprocessorOptions,
  preprocess,
  printUnit,
  Scanner,
} from "./syntax/index.js";
