/**
 * Finds the marks of figures in a page and replaces what stands between them:
 *
 *     <!-- figures: NAME -->
 *     ... the rendering of a block ...
 *     <!-- /figures -->
 *
 *     a gain of <!-- figure: NAME.value -->171 %<!-- /figure -->, or <!-- figure: papers/dahu:NAME.value --> of another page
 */
import { pageName } from "./block.js";

/** A fault of a page, at its place. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export const shown = ({ path, line, message }: Problem): string => `${path}:${line}: ${message}`;

/** Something between two marks, by its offsets in the text. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

interface MarkedBlock extends Span {
  readonly name: string;
}

interface MarkedValue extends Span {
  /** The page, the block and the value: `papers/dahu`, `cliques`, `best`. */
  readonly page: string;
  readonly name: string;
  readonly value: string;
}

interface Marks {
  readonly blocks: readonly MarkedBlock[];
  readonly values: readonly MarkedValue[];
  readonly problems: readonly Problem[];
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

/** The text with spaces in place of code, so that marks in code are examples and not marks. */
export function withoutCode(text: string): string {
  const blank = (code: string) => code.replace(/[^\n]/g, " ");
  return text
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/^ {4}.*$/gm, blank)
    .replace(/(`+)(?!`)[^`\n]*\1(?!`)/g, blank);
}

const BLOCK_MARK = /^<!-- (?:figures: (\S+)|(\/figures)) -->$/gm;
const VALUE_MARK = /<!-- (?:figure: (\S+)|(\/figure)) -->/g;
const REFERENCE = /^(?:([\w./-]+):)?([\w-]+)\.([\w-]+)$/;

/** Pairs of opening and closing marks; marks cannot contain each other. */
function pairs(text: string, mark: RegExp, closing: string, found: (name: string, span: Span) => void) {
  const problems: { line: number; message: string }[] = [];
  let open: { name: string; start: number; line: number } | undefined;
  for (const match of text.matchAll(mark)) {
    const line = lineAt(text, match.index);
    const [all, name] = match;
    if (name === undefined) {
      if (open === undefined) problems.push({ line, message: `<!-- ${closing} --> without an opening mark` });
      else found(open.name, { start: open.start, end: match.index, line: open.line });
      open = undefined;
    } else {
      if (open !== undefined)
        problems.push({ line: open.line, message: `"${open.name}" is not closed by <!-- ${closing} -->` });
      open = { name, start: match.index + all.length, line };
    }
  }
  if (open !== undefined)
    problems.push({ line: open.line, message: `"${open.name}" is not closed by <!-- ${closing} -->` });
  return problems;
}

/** The marks of a page. */
export function marksOf(path: string, text: string): Marks {
  const bare = withoutCode(text);
  const blocks: MarkedBlock[] = [];
  const values: MarkedValue[] = [];
  const problems = pairs(bare, BLOCK_MARK, "/figures", (name, span) => blocks.push({ name, ...span }));
  problems.push(
    ...pairs(bare, VALUE_MARK, "/figure", (reference, span) => {
      const parts = REFERENCE.exec(reference);
      if (parts === null)
        problems.push({
          line: span.line,
          message: `"${reference}" names no figure: NAME.value or PAGE:NAME.value`,
        });
      else values.push({ page: parts[1] ?? pageName(path), name: parts[2]!, value: parts[3]!, ...span });
    }),
  );
  const seen = new Set<string>();
  for (const { name, line } of blocks) {
    if (seen.has(name)) problems.push({ line, message: `block "${name}" stands twice on this page` });
    seen.add(name);
  }
  return { blocks, values, problems: problems.map((problem) => ({ path, ...problem })) };
}

/** What belongs between the marks of a page; undefined: there is no such block or value. */
export interface Contents {
  lines(name: string): readonly string[] | undefined;
  value(page: string, name: string, value: string): string | undefined;
}

/** The page with new contents between its marks, and the marks for which there are none. */
export function rewritten(
  path: string,
  text: string,
  contents: Contents,
): { text: string; problems: Problem[] } {
  const { blocks, values, problems: wrong } = marksOf(path, text);
  const problems = [...wrong];
  const changes: { span: Span; content: string }[] = [];
  for (const marked of blocks) {
    const lines = contents.lines(marked.name);
    if (lines === undefined)
      problems.push({ path, line: marked.line, message: `no results of a block "${marked.name}"` });
    else changes.push({ span: marked, content: `\n${lines.join("\n")}\n` });
  }
  for (const marked of values) {
    const content = contents.value(marked.page, marked.name, marked.value);
    if (content === undefined)
      problems.push({
        path,
        line: marked.line,
        message: `no value "${marked.value}" of a block "${marked.name}" of page ${marked.page}`,
      });
    else changes.push({ span: marked, content });
  }
  let result = text;
  for (const { span, content } of changes.sort((a, b) => b.span.start - a.span.start))
    result = result.slice(0, span.start) + content + result.slice(span.end);
  return { text: result, problems };
}
