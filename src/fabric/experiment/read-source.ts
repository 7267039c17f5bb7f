/** Reads the files of an experiment, with errors as diagnostics. */
import { readFileSync } from "node:fs";
import {
  DiagnosticError,
  type Diagnostics,
  SourceFile,
  type Span,
  systemErrorReason,
} from "../../base/index.js";
import { type OpenDocument, openDocument } from "../../toolchain/documents/index.js";
import { CODES } from "./codes.js";

/** Runs `work`; its diagnostics, thrown or added, go to the list. The result is undefined if one of them is an error. */
export function collecting<T>(diagnostics: Diagnostics, work: () => T): T | undefined {
  const before = diagnostics.errorCount;
  try {
    const value = work();
    return diagnostics.errorCount > before ? undefined : value;
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    for (const diagnostic of error.diagnostics) diagnostics.add(diagnostic);
    return undefined;
  }
}

/** The text of an experiment file and its document, which all readers of the file share. */
export interface OpenExperiment {
  readonly source: SourceFile;
  readonly document: OpenDocument;
}

/** Reads a file, or takes a text that was read. Undefined after P43005 (cannot be read) and P43001 (no YAML). */
export function openExperiment(
  input: string | SourceFile,
  diagnostics: Diagnostics,
): OpenExperiment | undefined {
  const source = typeof input === "string" ? readSource(input, diagnostics) : input;
  const document = source && openDocument(source, diagnostics);
  return source === undefined || document === undefined ? undefined : { source, document };
}

/** The file's text; undefined after P43005. `span`: where the user names the file. */
export function readSource(path: string, diagnostics: Diagnostics, span?: Span): SourceFile | undefined {
  try {
    return new SourceFile(path, readFileSync(path, "utf8"));
  } catch (error) {
    diagnostics.error(CODES.unreadable, span, `cannot read ${path}: ${systemErrorReason(error)}`);
    return undefined;
  }
}
