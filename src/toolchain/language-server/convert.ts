/** Converts between the language service and the protocol: positions, and kinds to numbers. */

import { fileURLToPath, pathToFileURL } from "node:url";
import {
  CompletionItemKind,
  DiagnosticSeverity,
  DiagnosticTag,
  FoldingRangeKind,
  type Location,
  type Diagnostic as LspDiagnostic,
  type Position,
  type Range,
  SymbolKind,
} from "vscode-languageserver";
import type { Diagnostic, SourceFile, Span } from "../../base/index.js";
import { given } from "../../base/index.js";
import type { Fold } from "../editing/index.js";
import { packageFile } from "../loading/index.js";

/** The path of a file; for a text that is not a file, its URI. */
export function pathOf(uri: string): string {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : uri;
  } catch {
    return uri;
  }
}

const LIBRARY = "p4include/";

export function uriOf(path: string): string {
  if (path.startsWith(LIBRARY)) return packageFile(`p4/${path.slice(LIBRARY.length)}`).href;
  return /^[a-z][a-z+.-]+:/.test(path) ? path : pathToFileURL(path).href;
}

export function positionOf(file: SourceFile, offset: number): Position {
  const { line, column } = file.position(offset);
  return { line: line - file.firstLine, character: column - 1 };
}

/** A place after the end of the text becomes that end, a place after the end of a line becomes the end of the line. */
export function offsetOf(file: SourceFile, { line, character }: Position): number {
  const start = file.lineStarts[line];
  if (start === undefined) return file.text.length;
  const end = (file.lineStarts[line + 1] ?? file.text.length + 1) - 1;
  return Math.max(0, Math.min(start + character, end));
}

export function rangeOf({ file, start, end }: Span): Range {
  return { start: positionOf(file, start), end: positionOf(file, end) };
}

export function locationOf(span: Span): Location {
  return { uri: uriOf(span.file.path), range: rangeOf(span) };
}

const SEVERITIES = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

/** Messages about code without effect, which editors show in grey. */
const UNNECESSARY = /is never (?:applied|reached|used)|is not used/;

/** A diagnostic with a place in the file; notes with a place become related information, the others lines of the message. */
export function diagnosticOf({ severity, code, message, notes }: Diagnostic, span: Span): LspDiagnostic {
  const advice = notes.filter((note) => note.span === undefined).map((note) => note.message);
  const related = notes.flatMap((note) =>
    note.span === undefined ? [] : [{ location: locationOf(note.span), message: note.message }],
  );
  return {
    severity: SEVERITIES[severity],
    code,
    source: "p4loom",
    message: [message, ...advice].join("\n"),
    range: rangeOf(span),
    ...given({
      relatedInformation: related.length === 0 ? undefined : related,
      tags: severity === "warning" && UNNECESSARY.test(message) ? [DiagnosticTag.Unnecessary] : undefined,
    }),
  };
}

const SYMBOL_KINDS: Readonly<Record<string, SymbolKind>> = {
  constant: SymbolKind.Constant,
  variable: SymbolKind.Variable,
  instance: SymbolKind.Object,
  action: SymbolKind.Function,
  table: SymbolKind.Array,
  parser: SymbolKind.Class,
  control: SymbolKind.Class,
  package: SymbolKind.Package,
  extern: SymbolKind.Interface,
  function: SymbolKind.Function,
  struct: SymbolKind.Struct,
  header: SymbolKind.Struct,
  "header union": SymbolKind.Struct,
  enum: SymbolKind.Enum,
  error: SymbolKind.Enum,
  match_kind: SymbolKind.Enum,
  member: SymbolKind.EnumMember,
  field: SymbolKind.Field,
  state: SymbolKind.Event,
  "value set": SymbolKind.Array,
};

export function symbolKind(kind: string): SymbolKind {
  return SYMBOL_KINDS[kind] ?? SymbolKind.TypeParameter;
}

const COMPLETION_KINDS: Readonly<Record<string, CompletionItemKind>> = {
  constant: CompletionItemKind.Constant,
  variable: CompletionItemKind.Variable,
  parameter: CompletionItemKind.Variable,
  instance: CompletionItemKind.Variable,
  action: CompletionItemKind.Function,
  function: CompletionItemKind.Function,
  method: CompletionItemKind.Method,
  table: CompletionItemKind.Value,
  parser: CompletionItemKind.Class,
  control: CompletionItemKind.Class,
  package: CompletionItemKind.Module,
  extern: CompletionItemKind.Interface,
  struct: CompletionItemKind.Struct,
  header: CompletionItemKind.Struct,
  "header union": CompletionItemKind.Struct,
  enum: CompletionItemKind.Enum,
  member: CompletionItemKind.EnumMember,
  field: CompletionItemKind.Field,
  state: CompletionItemKind.Event,
  keyword: CompletionItemKind.Keyword,
  annotation: CompletionItemKind.Property,
  property: CompletionItemKind.Property,
  macro: CompletionItemKind.Constant,
  file: CompletionItemKind.File,
};

export function completionKind(kind: string): CompletionItemKind {
  return COMPLETION_KINDS[kind] ?? CompletionItemKind.Text;
}

export const FOLD_KINDS: Readonly<Record<Fold["kind"], FoldingRangeKind>> = {
  region: FoldingRangeKind.Region,
  comment: FoldingRangeKind.Comment,
  imports: FoldingRangeKind.Imports,
};
