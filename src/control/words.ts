/** Lines of text as words with their places. */
import { DiagnosticError, type Diagnostics, type SourceFile, type Span } from "../base/index.js";

/** One word of a statement and where it stands. */
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

/** A part of a word as a word of its own. */
export function partOf(word: Word, start: number, end = word.text.length): Word {
  const { file, start: at } = word.span;
  return { text: word.text.slice(start, end), span: { file, start: at + start, end: at + end } };
}

/** Splits the words before and behind the first `=>`; undefined behind it when there is none. */
export function halves(words: readonly Word[]): [readonly Word[], readonly Word[] | undefined] {
  const arrow = words.findIndex(({ text }) => text === "=>");
  return arrow < 0 ? [words, undefined] : [words.slice(0, arrow), words.slice(arrow + 1)];
}

/** Takes over what a failed step reports; throws what is no mistake of the user. */
export function report(error: unknown, diagnostics: Diagnostics): void {
  if (!(error instanceof DiagnosticError)) throw error;
  for (const diagnostic of error.diagnostics) diagnostics.add(diagnostic);
}
