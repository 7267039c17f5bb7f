/**
 * A language server for P4 (`p4loom lsp`): the language service behind the protocol that editors speak.
 *
 *     server      requests and answers
 *     workspace   open texts, files, which program a file belongs to
 *     publisher   when diagnostics are computed and sent
 */
export { type ServerOptions, serve } from "./server.js";
export { startOnStdio } from "./stdio.js";
