/** `source_info` as p4c writes it: the position in the user's file. */
import type { Span } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";

/** An object to spread: empty when there is no position. The column counts from 0. */
export function sourceInfo(span: Span | undefined): { source_info?: bmv2.SourceInfo } {
  if (span === undefined) return {};
  const { line, column } = span.file.position(span.start);
  return {
    source_info: {
      filename: span.file.path,
      line,
      column: column - 1,
      source_fragment: fragment(span),
    },
  };
}

/** The text of the span's first line with single spaces; ` ...` replaces further lines. */
function fragment(span: Span): string {
  const text = span.file.text.slice(span.start, span.end).replace(/;\s*$/, "");
  const lineEnd = text.indexOf("\n");
  const first = (lineEnd < 0 ? text : text.slice(0, lineEnd)).replace(/\s+/g, " ").trim();
  return lineEnd < 0 ? first : `${first} ...`;
}
