/**
 * The language service: the functions of an editor for P4 programs, as pure functions on text; they also run in a browser. Each
 * function takes a {@link P4Document}, which is one state of a text with the files that it includes.
 *
 *     document      the compiler's results, computed on request; also for incomplete programs
 *     occurrences/  every name with its meaning
 *     completion/   completion of words, signature help
 *     others        one function of an editor each
 */
export { type Completion, completion } from "./completion/completion.js";
export { type SignatureHelp, signatureHelp } from "./completion/signature-help.js";
export { openDocument, openIncluded, P4Document } from "./document.js";
export { hover } from "./hover.js";
export { chipArchitecture, lenses } from "./lenses.js";
export { definition, references } from "./navigate.js";
export { type Fold, folds, type OutlineItem, outline } from "./outline.js";
export { quickFixes } from "./quick-fixes.js";
export { type Edit, type Refusal, rename, renameable } from "./rename.js";
export { semanticTokens, TOKEN_KINDS, TOKEN_MODIFIERS } from "./semantic-tokens.js";
