/** What goes wrong with agents, as diagnostics. */
import { DiagnosticError } from "../../base/index.js";

export function agentFailure(code: string, message: string, ...notes: readonly string[]): DiagnosticError {
  return new DiagnosticError([
    { severity: "error", code, message, notes: notes.map((note) => ({ message: note })) },
  ]);
}

/** CLOCK_MONOTONIC in nanoseconds, as agents tell times. */
export function monotonicNs(): number {
  return Number(process.hrtime.bigint());
}
