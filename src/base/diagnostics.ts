/**
 * Diagnostics as data. A user's error is recorded with a stable code (`docs/errors.md` lists all), a
 * span and notes; printing is a separate step. Internal errors are assertions instead.
 */
import { given } from "./given.js";
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

/** Errors stored by default; further ones are only counted. */
const DEFAULT_ERROR_LIMIT = 100;

/** The diagnostics of one run of a tool. */
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

  /** Throws all diagnostics if at least one is an error. */
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
    ...given({ span }),
    notes: notes.map((note) => (typeof note === "string" ? { message: note } : note)),
  };
}

/** Thrown by a function that cannot continue because of a user's error; never for an internal error. */
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

export function formatLocation(span: Span | undefined): string {
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
  // One character replaces one character, so that the carets stay in their columns.
  const shown = whole.slice(from, from + EXCERPT_WIDTH).replace(/\t/g, " ");
  const text = [...shown].map((one) => (printable(one) === one ? one : "\ufffd")).join("");
  const before = column - 1 - from;
  const carets = Math.max(1, Math.min(span.end - span.start, text.length - before));
  return [`    ${text}`, `    ${" ".repeat(before)}${"^".repeat(carets)}`];
}

/**
 * Text of one diagnostic: `file:line:col: error[P4xxxx]: message`, the line with a caret, the notes. It may quote
 * untrusted text, so control characters are replaced by visible escapes.
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

/** One diagnostic as plain data for `--json-diagnostics`. */
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

/**
 * Text that is safe on a terminal. Names and messages of programs and of other machines may contain any character, but
 * must not control the terminal: control characters (C0, DEL, C1) become escapes such as `\x1b`; tabs stay.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression looks for them
  return text.replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}
