/** Splits lines of text into words with their places. */
import { DiagnosticError, type Diagnostics, type SourceFile, type Span } from "../../base/index.js";

/** One word of a statement and its place. */
export interface Word {
  readonly text: string;
  readonly span: Span;
}

/** The words of one line that starts at `offset` of the file; `#` starts a comment. */
export function wordsOf(file: SourceFile, line: string, offset: number): Word[] {
  const text = line.replace(/(^|\s)#.*$/, "");
  return [...text.matchAll(/\S+/g)].map((match) => {
    const start = offset + match.index;
    return { text: match[0], span: { file, start, end: start + match[0].length } };
  });
}

/** A part of a word as a separate word. */
export function partOf(word: Word, start: number, end = word.text.length): Word {
  const { file, start: at } = word.span;
  return { text: word.text.slice(start, end), span: { file, start: at + start, end: at + end } };
}

/** The words before and after the first `=>`; without `=>`, the words after it are undefined. */
export function halves(words: readonly Word[]): [readonly Word[], readonly Word[] | undefined] {
  const arrow = words.findIndex(({ text }) => text === "=>");
  return arrow < 0 ? [words, undefined] : [words.slice(0, arrow), words.slice(arrow + 1)];
}

/** Adds the diagnostics of a failed step; throws errors that are not the user's mistakes. */
export function report(error: unknown, diagnostics: Diagnostics): void {
  if (!(error instanceof DiagnosticError)) throw error;
  for (const diagnostic of error.diagnostics) diagnostics.add(diagnostic);
}
