/**
 * Reads a YAML file (JSON is YAML too), checks it against a schema and reports for each error the place, the key, the
 * value found and what would be right.
 */
import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument } from "yaml";
import type { z } from "zod";
import type { Diagnostics, Locate, SourceFile, Span } from "../../base/index.js";
import { CODES } from "./codes.js";
import { describeIssues } from "./schema-issues.js";

export interface LoadedDocument<T> {
  value: T;
  /** The place of the value at a path of keys and indexes; the place of its key if the value has several lines. */
  locate: Locate;
}

/** Contents of a document with other values in some places. */
export interface EditedContents {
  readonly contents: unknown;
  /** The path where the file has what the edited contents have at a path: the value, or the key alone. */
  placeOf(path: readonly PropertyKey[], atKey: boolean): readonly PropertyKey[];
}

/** A document that has been parsed, to be checked against one schema or several. */
export interface OpenDocument {
  readonly contents: unknown;
  /** As {@link LoadedDocument.locate}. */
  readonly locate: Locate;
  /**
   * The value, checked and with defaults filled in; undefined if there are errors, which are added to `diagnostics`: P43002
   * unknown key, P43003 missing key, P43004 wrong type or value. With `edited`, its contents are checked, and places are those
   * in the file that it names.
   */
  check<T>(
    schemaOf: z.ZodType<T> | ((contents: unknown) => z.ZodType<T>),
    diagnostics: Diagnostics,
    edited?: EditedContents,
  ): LoadedDocument<T> | undefined;
}

/**
 * The document's value, checked and with defaults filled in; undefined if there are errors, which are added to
 * `diagnostics`: P43001 not YAML, P43002 unknown key, P43003 missing key, P43004 wrong type or value.
 */
export function loadDocument<T>(
  file: SourceFile,
  schemaOf: z.ZodType<T> | ((contents: unknown) => z.ZodType<T>),
  diagnostics: Diagnostics,
): LoadedDocument<T> | undefined {
  return openDocument(file, diagnostics)?.check(schemaOf, diagnostics);
}

/** Parses a document; undefined after P43001. */
export function openDocument(file: SourceFile, diagnostics: Diagnostics): OpenDocument | undefined {
  const document = parseDocument(file.text, { prettyErrors: false, logLevel: "error" });
  const language = file.path.endsWith(".json") ? "JSON" : "YAML";
  // In a file that is not YAML, the errors after the first one are consequences of it.
  for (const error of document.errors.slice(0, 1)) {
    const [start, end] = error.pos;
    diagnostics.error(CODES.syntax, { file, start, end }, `not valid ${language}: ${error.message}`);
  }
  if (document.errors.length > 0) return undefined;
  const root = document.contents as Node | null;
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const spanOf = (node: unknown): Span | undefined => {
    const range = (node as Node | null | undefined)?.range;
    return range == null ? undefined : { file, start: range[0], end: Math.max(range[1], range[0] + 1) };
  };

  /** `nearest`: if the path does not exist, the place of its deepest part that does. */
  const find = (path: readonly PropertyKey[], wantKey: boolean, nearest: boolean): Span | undefined => {
    let span: Span | undefined = { file, start: 0, end: Math.min(1, file.text.length) };
    let node: unknown = root;
    for (const [depth, step] of path.entries()) {
      const at = resolve(node);
      if (isMap(at)) {
        const pair = at.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
        if (pair === undefined) return nearest ? span : undefined;
        const last = depth === path.length - 1;
        const empty = pair.value === null || (isScalar(pair.value) && pair.value.source === "");
        node = pair.value;
        span = (last && wantKey) || empty || isMap(node) || isSeq(node) ? spanOf(pair.key) : spanOf(node);
      } else if (isSeq(at)) {
        node = at.items[Number(step)];
        if (node === undefined) return nearest ? span : undefined;
        span = firstLine(spanOf(node));
      } else {
        return nearest ? span : undefined;
      }
    }
    return span;
  };
  const locate: Locate = (path, atKey = false) => find(path, atKey, false);

  let input: unknown;
  try {
    input = document.toJS();
  } catch (error) {
    // Aliases without an anchor, or aliases of aliases that expand to an excessive size.
    diagnostics.error(CODES.syntax, find([], false, true), `not valid YAML: ${(error as Error).message}`);
    return undefined;
  }
  return {
    contents: input,
    locate,
    check(schemaOf, diagnostics, edited) {
      const contents = edited === undefined ? input : edited.contents;
      const placeOf = (path: readonly PropertyKey[], atKey: boolean) => edited?.placeOf(path, atKey) ?? path;
      const schema = typeof schemaOf === "function" ? schemaOf(contents) : schemaOf;
      const result = schema.safeParse(contents);
      if (result.success)
        return { value: result.data, locate: (path, atKey = false) => locate(placeOf(path, atKey), atKey) };
      for (const issue of describeIssues(result.error.issues, schema, contents))
        diagnostics.error(
          issue.code,
          find(placeOf(issue.path, issue.atKey), issue.atKey, true),
          issue.message,
          ...issue.notes,
        );
      return undefined;
    },
  };
}

/** The first line of a span of several lines: a message shows one line with carets. */
function firstLine(span: Span | undefined): Span | undefined {
  if (span === undefined) return undefined;
  const lineEnd = span.file.text.indexOf("\n", span.start);
  return lineEnd < 0 || span.end <= lineEnd ? span : { ...span, end: Math.max(lineEnd, span.start + 1) };
}
