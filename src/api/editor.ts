/**
 * `p4loom/editor`: what an editor asks about a P4 program: outline, hover, completion, rename and more, for any editor or page.
 * Runs in a browser, too. (`p4loom lsp` is the language server.) Page: docs/editors.md.
 */
export * from "../toolchain/editing/index.js";
export { format } from "../toolchain/formatting/index.js";
