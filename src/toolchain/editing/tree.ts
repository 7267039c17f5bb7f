/** Finds nodes of a syntax tree by place. */
import type { SourceFile, Span } from "../../base/index.js";
import { sourceOf } from "./spans.js";

/** Fields that the checker filled: they lead to other parts of the tree. */
const CHECKED_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "declaration",
  "resolved",
  "constant",
  "implicitCast",
  "span",
]);

/** What a node consists of in the text. A statement that declares a variable contains its declaration; elsewhere the checker filled it. */
export function partsOf(node: object): unknown[] {
  const isStatement = "kind" in node && node.kind === "declaration";
  return Object.entries(node).flatMap(([key, child]) =>
    CHECKED_FIELDS.has(key) && !(isStatement && key === "declaration") ? [] : [child],
  );
}

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
