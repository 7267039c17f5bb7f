/** Finds nodes of a syntax tree by place. */
import type { SourceFile, Span } from "../../base/index.js";
import { partsOf } from "../p4/index.js";
import { sourceOf } from "./spans.js";

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
    for (const child of partsOf(value)) visit(child);
  };
  visit(root);
  return path;
}
