/** Converts diagnostics to the form that is sent to pages, and errors to replies. */
import { type Diagnostic, DiagnosticError, type Span } from "../../base/index.js";
import { DeviceError } from "../../toolchain/device/index.js";
import { CODES } from "./codes.js";
import type { LabDiagnostic, LabReply } from "./protocol.js";

function placeOf(span: Span | undefined) {
  if (span === undefined) return {};
  const { file, start, end } = span;
  return { file: file.path, start: file.position(start), end: file.position(end) };
}

export function diagnosticViews(list: readonly Diagnostic[]): LabDiagnostic[] {
  return list.map(({ severity, code, message, span, notes }) => ({
    severity,
    code,
    message,
    ...placeOf(span),
    notes: notes.map((note) => {
      const { end: _, ...place } = { end: undefined, ...placeOf(note.span) };
      return { message: note.message, ...place };
    }),
  }));
}

/** Converts an error of a user to a reply; throws any other error again. */
export function refusalOf(error: unknown): LabReply {
  if (error instanceof DiagnosticError) return { ok: false, diagnostics: diagnosticViews(error.diagnostics) };
  if (error instanceof DeviceError) {
    const message = `the switch refuses: ${error.message} (${error.code})`;
    return { ok: false, diagnostics: [{ severity: "error", code: CODES.refused, message, notes: [] }] };
  }
  throw error;
}
