/** Quick fixes: changes of the text that follow the advice of a message's note. */
import { type Diagnostic, type Span, spanText } from "../../base/index.js";
import { P4_CODES } from "../p4/index.js";
import type { P4Document } from "./document.js";
import type { Edit } from "./rename.js";
import { spanAsRead } from "./spans.js";

export interface QuickFix {
  /** Its effect, for example `Change to 'ttl'`. */
  readonly title: string;
  readonly diagnostic: Diagnostic;
  readonly edits: readonly Edit[];
}

/** The fixes for the diagnostics between two offsets of the document. */
export function quickFixes(document: P4Document, start: number, end: number): QuickFix[] {
  return document.quickDiagnostics.flatMap((diagnostic) => {
    if (diagnostic.span === undefined) return [];
    const span = spanAsRead(diagnostic.span);
    if (span.file !== document.file || span.end < start || span.start > end) return [];
    return fixesFor(diagnostic, span);
  });
}

function fixesFor(diagnostic: Diagnostic, span: Span): QuickFix[] {
  const written = spanText(span);
  const fix = (title: string, text: string, place: Span = span): QuickFix[] => [
    { title, diagnostic, edits: [{ span: place, text }] },
  ];
  const replace = (text: string) => fix(`Change to '${text}'`, text);
  for (const { message } of diagnostic.notes) {
    const meant = /^did you mean '?(\w+)'?\?$/.exec(message)?.[1];
    if (meant !== undefined && /^\w+$/.test(written)) return replace(meant);
    if (message === "write else if") return replace("else if");
    if (message === "include core.p4")
      return fix("Include core.p4", "#include <core.p4>\n", { file: span.file, start: 0, end: 0 });
    if (message === "write .action_run after apply()")
      return fix("Add '.action_run'", ".action_run", { ...span, start: span.end });
  }
  switch (diagnostic.code) {
    case P4_CODES.missingSemicolon:
      if (written === ",") return replace(";");
      return written === "" ? fix("Add ';'", ";") : [];
    case P4_CODES.memberSeparator:
      return replace(",");
    case P4_CODES.assignmentAsCondition:
      return replace("==");
    case P4_CODES.constProperty:
      return fix("Remove 'const'", "", { ...span, end: endOfSpace(span) });
    case P4_CODES.closesNothing:
      return fix("Remove '}'", "");
    default:
      return [];
  }
}

/** The end of the white space after a span. */
function endOfSpace({ file, end }: Span): number {
  let at = end;
  while (file.text[at] === " ") at++;
  return at;
}
