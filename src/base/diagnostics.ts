/**
 * Diagnostics as data. A mistake of the user is recorded with a stable code (`docs/errors.md` lists
 * them all), a span and notes; printing is a separate step. Assertions are for faults of our own.
 */
import { printable } from "./printable.js";
import type { Span } from "./source.js";

export type Severity = "error" | "warning" | "info";

export interface Note {
  message: string;
  span?: Span;
}

export interface Diagnostic {
  severity: Severity;
  /** `P4` and four digits; the table of ranges is in `docs/errors.md`. */
  code: string;
  message: string;
  span?: Span;
  notes: Note[];
}

/** What happens beyond the first `limit` errors: further ones are counted, not kept. */
const DEFAULT_ERROR_LIMIT = 100;

/** Collects what goes wrong in one run of a tool. */
export class Diagnostics {
  readonly list: Diagnostic[] = [];
  errorCount = 0;

  constructor(readonly errorLimit: number = DEFAULT_ERROR_LIMIT) {}

  get hasErrors(): boolean {
    return this.errorCount > 0;
  }

  add(diagnostic: Diagnostic): void {
    if (diagnostic.severity === "error" && ++this.errorCount > this.errorLimit) return;
    this.list.push(diagnostic);
  }

  error(code: string, span: Span | undefined, message: string, ...notes: (Note | string)[]): void {
    this.add(makeDiagnostic("error", code, span, message, notes));
  }

  warning(code: string, span: Span | undefined, message: string, ...notes: (Note | string)[]): void {
    this.add(makeDiagnostic("warning", code, span, message, notes));
  }

  info(code: string, span: Span | undefined, message: string, ...notes: (Note | string)[]): void {
    this.add(makeDiagnostic("info", code, span, message, notes));
  }

  /** Throws what was collected if any of it is an error. */
  throwIfErrors(): void {
    if (this.hasErrors) throw new DiagnosticError(this.list);
  }
}

function makeDiagnostic(
  severity: Severity,
  code: string,
  span: Span | undefined,
  message: string,
  notes: (Note | string)[],
): Diagnostic {
  return {
    severity,
    code,
    message,
    ...(span === undefined ? {} : { span }),
    notes: notes.map((note) => (typeof note === "string" ? { message: note } : note)),
  };
}

/** The way a user's mistake leaves a function that cannot go on: never for faults of our own. */
export class DiagnosticError extends Error {
  constructor(readonly diagnostics: readonly Diagnostic[]) {
    super(
      diagnostics.map((d) => formatLocation(d.span) + `${d.severity}[${d.code}]: ${d.message}`).join("\n"),
    );
    this.name = "DiagnosticError";
  }
}

/** Throws a {@link DiagnosticError} that holds a single error. */
export function fail(
  code: string,
  span: Span | undefined,
  message: string,
  ...notes: (Note | string)[]
): never {
  throw new DiagnosticError([makeDiagnostic("error", code, span, message, notes)]);
}

function formatLocation(span: Span | undefined): string {
  if (span === undefined) return "";
  const { line, column } = span.file.position(span.start);
  return `${span.file.path}:${line}:${column}: `;
}

/** Longest piece of a source line that is printed under a message. */
const EXCERPT_WIDTH = 160;

function formatExcerpt(span: Span): string[] {
  const { line, column } = span.file.position(span.start);
  const whole = span.file.lineText(line);
  const from = column > EXCERPT_WIDTH ? column - EXCERPT_WIDTH / 2 : 0;
  // one character each, so that the carets stay below their place
  const shown = whole.slice(from, from + EXCERPT_WIDTH).replace(/\t/g, " ");
  const text = [...shown].map((one) => (printable(one) === one ? one : "\ufffd")).join("");
  const before = column - 1 - from;
  const carets = Math.max(1, Math.min(span.end - span.start, text.length - before));
  return [`    ${text}`, `    ${" ".repeat(before)}${"^".repeat(carets)}`];
}

/**
 * Text of one diagnostic: `file:line:col: error[P4xxxx]: message`, the line with a caret, the notes. It may quote what
 * others wrote, so control characters are shown, not printed.
 */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { severity, code, message, span, notes } = diagnostic;
  const lines = [`${formatLocation(span)}${severity}[${code}]: ${message}`];
  if (span !== undefined) lines.push(...formatExcerpt(span));
  for (const note of notes) {
    lines.push(`${formatLocation(note.span)}note: ${note.message}`);
    if (note.span !== undefined) lines.push(...formatExcerpt(note.span));
  }
  return lines.join("\n").split("\n").map(printable).join("\n");
}

/** The same as plain data for `--json-diagnostics`. */
export function diagnosticToJson(diagnostic: Diagnostic): object {
  const place = (span: Span | undefined) =>
    span === undefined
      ? {}
      : {
          file: span.file.path,
          start: span.file.position(span.start),
          end: span.file.position(span.end),
        };
  return {
    severity: diagnostic.severity,
    code: diagnostic.code,
    message: diagnostic.message,
    ...place(diagnostic.span),
    notes: diagnostic.notes.map((note) => ({ message: note.message, ...place(note.span) })),
  };
}
