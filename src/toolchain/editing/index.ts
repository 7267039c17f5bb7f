/**
 * The language service: the functions of an editor for P4 programs, as pure functions on text; they also run in a browser. Each
 * function takes a {@link P4Document}, which is one state of a text with the files that it includes.
 *
 *     document      the compiler's results, computed on request; also for incomplete programs
 *     occurrences/  every name with its meaning
 *     completion/   completion of words, signature help
 *     others        one function of an editor each
 */
export { type Completion, type Completions, completion } from "./completion/completion.js";
export { type Signature, type SignatureHelp, signatureHelp } from "./completion/signature-help.js";
export { type DocumentOptions, openDocument, openIncluded, P4Document } from "./document.js";
export { type Hover, hover } from "./hover.js";
export { type Lens, lenses } from "./lenses.js";
export { definition, references } from "./navigate.js";
export type { Occurrence } from "./occurrences/occurrence.js";
export { type Fold, folds, type OutlineItem, outline } from "./outline.js";
export { type QuickFix, quickFixes } from "./quick-fixes.js";
export { applyEdits, type Edit, type Refusal, rename, renameable } from "./rename.js";
export {
  type SemanticToken,
  semanticTokens,
  TOKEN_KINDS,
  TOKEN_MODIFIERS,
  type TokenKind,
  type TokenModifier,
} from "./semantic-tokens.js";
