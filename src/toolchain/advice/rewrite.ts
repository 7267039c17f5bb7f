/** A change of a program's text that keeps its meaning, or says what of it changes. */
import { type SourceFile, type Span, spanText } from "../../base/index.js";
import { type ast, sourceOf } from "../p4/index.js";

/** Of a change: what is done. The order is that of `--advise`'s page. */
export type RewriteKind =
  | "arithmetic"
  | "branch"
  | "pragma"
  | "key"
  | "order"
  | "ternary"
  | "alpm"
  | "priority"
  | "later"
  | "sooner"
  | "exclusive"
  | "ahead"
  | "start"
  | "turns"
  | "size";

/** A text in the place of another one. */
export interface Edit {
  readonly span: Span;
  readonly replacement: string;
}

export interface Rewrite extends Edit {
  readonly kind: RewriteKind;
  /** What is changed, in the words of the program. */
  readonly words: string;
  /** Of two statements that change places: where they stand. */
  readonly halves?: readonly [Span, Span];
  /** Further edits that belong to it. */
  readonly more?: readonly Edit[];
}

export const editsOf = (rewrites: readonly Rewrite[]): Edit[] =>
  rewrites.flatMap((one) => [one, ...(one.more ?? [])]);

/**
 * The span in the program's own file; undefined for what an included file has. What a macro stands for has the span of the macro's use: whoever
 * moves a text asks `isPlain`.
 */
export function ownSpan(file: SourceFile, { span }: { readonly span: Span }): Span | undefined {
  if (sourceOf(span.file) !== file) return undefined;
  return { file, start: span.start, end: span.end };
}

export const textOf = ({ span }: { readonly span: Span }): string => spanText(span).trim();

/** The line of a place, from 1. */
export const lineOf = ({ file, start }: Span): number => file.position(start).line;

/** White space before the first token of the line of a place. */
export function indentOf({ file, start }: Span): string {
  const from = file.text.lastIndexOf("\n", start - 1) + 1;
  return /^[ \t]*/.exec(file.text.slice(from, start))?.[0] ?? "";
}

/** Width of a `bit<W>` expression; undefined for other types. */
export function widthOf({ type }: ast.Expression): number | undefined {
  return type?.kind === "bit" ? type.width : undefined;
}

/** Each operand is a text of its own: not so where one macro stands for several, whose nodes have its span. */
export function areTexts(...operands: readonly ast.Expression[]): boolean {
  const own = operands.every((one, at) => at === 0 || operands[at - 1]!.span.end <= one.span.start);
  return own && operands.every((one) => one.kind !== "binary" || areTexts(one.left, one.right));
}
