/**
 * A language server for P4 (`p4loom lsp`): the language service over the Language Server Protocol of editors.
 *
 *     server      requests and responses
 *     workspace   open texts, files, which program a file belongs to
 *     publisher   computes and sends diagnostics
 */
export { startOnStdio } from "./stdio.js";
