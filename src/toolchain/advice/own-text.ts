/**
 * A program as one text: files that it includes by `#include "FILE"` stand in their place, so that a change may concern any of them. Each line
 * knows where it came from, also after changes.
 */
import { SourceFile, type Span } from "../../base/index.js";
import { type IncludeResolver, sourceOf } from "../p4/index.js";
import type { Edit } from "./rewrite.js";

interface Origin {
  readonly path: string;
  readonly line: number;
}

/** How deep files may include each other; beyond it the directive stays. */
const MAX_DEPTH = 16;
const INCLUDE = /^[ \t]*#[ \t]*include[ \t]+"([^"]+)"[ \t]*(?:\/\/.*|\/\*.*\*\/[ \t]*)?\r?$/;

export class OwnText extends SourceFile {
  constructor(
    path: string,
    text: string,
    /** By line of the text. */
    readonly origins: readonly Origin[],
  ) {
    super(path, text);
  }
}

/** Whether a block comment is open at the end of a line; what begins one in a string or behind `//` does not. */
function endsInComment(line: string, isOpen: boolean): boolean {
  let open = isOpen;
  for (let at = 0; ; ) {
    const next = open ? /\*\//g : /"(?:\\.|[^"\\])*"?|\/\/|\/\*/g;
    next.lastIndex = at;
    const found = next.exec(line);
    if (found === null) return open;
    if (found[0] === "//") return false;
    if (open || found[0] === "/*") open = !open;
    at = found.index + found[0].length;
  }
}

/** The file with what it includes; the file alone where it includes nothing of its own. */
export function ownText(file: SourceFile, resolve: IncludeResolver | undefined): OwnText {
  const lines: string[] = [];
  const origins: Origin[] = [];
  const add = (from: SourceFile, around: readonly string[]): void => {
    let isInComment = false;
    for (const [at, text] of from.text.split("\n").entries()) {
      const name = !isInComment && around.length < MAX_DEPTH ? INCLUDE.exec(text)?.[1] : undefined;
      isInComment = endsInComment(text, isInComment);
      const found = name === undefined ? undefined : resolve?.(name, from, false);
      if (found !== undefined && !around.includes(found.path)) {
        add(found, [...around, found.path]);
        continue;
      }
      lines.push(text);
      origins.push({ path: from.path, line: at + 1 });
    }
  };
  add(file, [file.path]);
  return new OwnText(file.path, lines.join("\n"), origins);
}

/** The text with changes that do not touch each other; of two that do, the first one is made. */
export function edited(file: SourceFile, edits: readonly Edit[]): SourceFile {
  let text = "";
  let at = 0;
  const origins: Origin[] = [];
  const known = file instanceof OwnText ? file.origins : undefined;
  const append = (part: string, from: (offset: number) => number) => {
    for (let i = 0; i < part.length; i++)
      if (known !== undefined && part[i] === "\n") origins.push(known[from(i)]!);
    text += part;
  };
  const lineAt = (offset: number) => file.position(offset).line - 1;
  const keep = (start: number, end: number) => append(file.text.slice(start, end), (i) => lineAt(start + i));
  const inOrder = [...edits].sort((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  for (const { span, replacement } of inOrder) {
    if (span.start < at) continue;
    keep(at, span.start);
    append(replacement, () => lineAt(span.start));
    at = span.end;
  }
  keep(at, file.text.length);
  if (known === undefined) return new SourceFile(file.path, text);
  return new OwnText(file.path, text, [...origins, known.at(-1)!]);
}

/** Where a place stands in the program as it was given: `line 12`, or `headers.p4:12` in a file that it includes. */
export function placeOf(span: Span): string {
  const file = sourceOf(span.file);
  const { line } = file.position(span.start);
  const origin = file instanceof OwnText ? file.origins[line - 1] : undefined;
  if (origin === undefined) return `line ${line}`;
  return origin.path === file.path
    ? `line ${origin.line}`
    : `${origin.path.split("/").at(-1)}:${origin.line}`;
}

/** Whether a place is at a line of a compiled program: of its text, or of the files that it was made of. */
export function standsAt(
  span: Span,
  source: { readonly filename: string; readonly line: number } | undefined,
): boolean {
  const file = sourceOf(span.file);
  const { line } = file.position(span.start);
  const origins = [{ path: file.path, line }, file instanceof OwnText ? file.origins[line - 1] : undefined];
  return origins.some(
    (one) => one !== undefined && one.path === source?.filename && one.line === source.line,
  );
}
