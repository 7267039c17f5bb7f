/** Finds nodes of a syntax tree by place. */
import type { SourceFile, Span } from "../base/index.js";
import { sourceOf } from "./spans.js";

/** Fields that the checker filled: they lead to other parts of the tree. */
export const CHECKED_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "declaration",
  "resolved",
  "constant",
  "implicitCast",
  "span",
]);

/** The nodes whose span holds an offset of a file, from the outside in. */
export function innermost(root: object, file: SourceFile, offset: number): object[] {
  const path: object[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
      return;
    }
    const { span } = value as { span?: Span };
    if (span !== undefined) {
      if (sourceOf(span.file) !== file || span.start > offset || span.end < offset) return;
      path.push(value);
    }
    for (const [key, child] of Object.entries(value)) if (!CHECKED_FIELDS.has(key)) visit(child);
  };
  visit(root);
  return path;
}
