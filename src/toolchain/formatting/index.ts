/**
 * The formatter of P4 sources: it rewrites white space and keeps everything else.
 *
 *     elements   a text as tokens, comments and preprocessor lines
 *     layout     where lines end and how far they are indented
 *     wrapping   line ends in lines that are too long
 *     columns    what stays aligned
 */
export { conditionalKind } from "./braces.js";
export { type Element, elementsOf } from "./elements.js";
export { format } from "./format.js";
