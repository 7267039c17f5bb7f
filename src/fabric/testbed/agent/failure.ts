/** Errors of agents as diagnostics. */
import { DiagnosticError } from "../../../base/index.js";

export function agentFailure(code: string, message: string, ...notes: readonly string[]): DiagnosticError {
  return new DiagnosticError([
    { severity: "error", code, message, notes: notes.map((note) => ({ message: note })) },
  ]);
}
