/**
 * Source text and places in it. Everything that is read from a user's file (P4, YAML, JSON, STF) and can be
 * wrong has a {@link Span}, so that a message can show `file:line:col` and the line.
 */

/** 1-based line and column, counted in UTF-16 code units. */
export interface Position {
  line: number;
  column: number;
}

/** One input file, or a text with a name. */
export class SourceFile {
  #lineStarts: number[] | undefined;

  constructor(
    /** The name shown to the user, as they wrote it. */
    readonly path: string,
    readonly text: string,
    /** The number of the text's first line in the file, for a part of a long file. */
    readonly firstLine = 1,
  ) {}

  /** Offsets of the first character of every line, computed on first use. */
  get lineStarts(): readonly number[] {
    if (this.#lineStarts === undefined) {
      const starts = [0];
      for (let i = this.text.indexOf("\n"); i >= 0; i = this.text.indexOf("\n", i + 1)) starts.push(i + 1);
      this.#lineStarts = starts;
    }
    return this.#lineStarts;
  }

  position(offset: number): Position {
    const starts = this.lineStarts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + this.firstLine, column: offset - starts[low]! + 1 };
  }

  /** The text of a 1-based line without its line end; empty beyond the file. */
  lineText(line: number): string {
    const index = line - this.firstLine;
    const start = this.lineStarts[index];
    if (start === undefined) return "";
    const end = this.lineStarts[index + 1] ?? this.text.length + 1;
    return this.text.slice(start, end - 1).replace(/\r$/, "");
  }
}

/** A half-open range of characters `[start, end)` of one file. */
export interface Span {
  readonly file: SourceFile;
  readonly start: number;
  readonly end: number;
}

/** The smallest span that covers both; the first one if they are in different files. */
export function joinSpans(first: Span, last: Span): Span {
  if (first.file !== last.file) return first;
  return {
    file: first.file,
    start: Math.min(first.start, last.start),
    end: Math.max(first.end, last.end),
  };
}

/** The source text that a span covers. */
export function spanText(span: Span): string {
  return span.file.text.slice(span.start, span.end);
}

/**
 * Finds the source position of a value in its file by the keys and indexes that lead to it. The reader of a file
 * provides this function; checks of the values use it to report errors at their positions. `atKey`: the position of the last key
 * itself.
 */
export type Locate = (path: readonly PropertyKey[], atKey?: boolean) => Span | undefined;
