/**
 * Text to syntax tree.
 *
 *     scanner       characters -> tokens
 *     preprocessor  directives and macros (condition: #if; macro: one replacement)
 *     cursor        a place in the token list; expectations, recovery, limits
 *     *-parser      recursive descent, one file for each part of the grammar
 *     printer       tree -> text
 */
import type { Diagnostics } from "../../../base/index.js";
import type { SourceUnit } from "./ast.js";
import { Cursor } from "./cursor.js";
import { parseDeclarations } from "./declaration-parser.js";
import { findP414, reportP414 } from "./p4-14.js";
import { textOfTokens } from "./preprocessed-text.js";
import { type PreprocessorOptions, preprocessTokens } from "./preprocessor.js";

export { sourceOf } from "./line-view.js";
export type { Macro } from "./macro.js";
export { partsOf } from "./parts.js";
export { wouldJoin } from "./preprocessed-text.js";
export type { IncludeResolver, PreprocessorOptions, PreprocessorWatcher } from "./preprocessor.js";
export { printExpression } from "./print-expression.js";
export { printUnit } from "./printer.js";
export { Scanner } from "./scanner.js";
export { keywordSet } from "./token.js";

/**
 * Preprocesses and parses a program. Errors go to `diagnostics`, with codes P401xx and P402xx; the tree then lacks
 * what could not be read. Of a P4-14 program they are replaced by one that says so (P40228).
 */
export function parse(options: PreprocessorOptions, diagnostics: Diagnostics): SourceUnit {
  const { list, errorCount } = diagnostics;
  const before = list.length;
  const tokens = preprocessTokens(options, diagnostics);
  const unit = { declarations: parseDeclarations(new Cursor(tokens, diagnostics)) };
  const old = diagnostics.errorCount > errorCount ? findP414(tokens) : undefined;
  if (old === undefined) return unit;
  list.length = before;
  diagnostics.errorCount = errorCount;
  reportP414(old, diagnostics);
  return unit;
}

/** Preprocesses only: the program as one text, as `cpp` would write it, for `-E`. */
export function preprocess(options: PreprocessorOptions, diagnostics: Diagnostics): string {
  return textOfTokens(preprocessTokens(options, diagnostics));
}
