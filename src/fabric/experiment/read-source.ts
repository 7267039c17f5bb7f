/** Reads the files of an experiment, with errors as diagnostics. */
import { readFileSync } from "node:fs";
import {
  DiagnosticError,
  type Diagnostics,
  SourceFile,
  type Span,
  systemErrorReason,
} from "../../base/index.js";
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

/** The file's text; undefined after P43005. `span`: where the user names the file. */
export function readSource(path: string, diagnostics: Diagnostics, span?: Span): SourceFile | undefined {
  try {
    return new SourceFile(path, readFileSync(path, "utf8"));
  } catch (error) {
    diagnostics.error(CODES.unreadable, span, `cannot read ${path}: ${systemErrorReason(error)}`);
    return undefined;
  }
}
