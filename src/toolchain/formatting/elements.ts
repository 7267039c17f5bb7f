/** A P4 text as the formatter sees it: tokens, comments and preprocessor lines in their order, nothing expanded. */
import { Diagnostics, type SourceFile } from "../../base/index.js";
import { Scanner } from "../p4/index.js";

export interface Element {
  readonly kind: "token" | "lineComment" | "blockComment" | "directive";
  /** Of a token: its kind for the scanner; of the others, the kind again. */
  readonly token: string;
  /** As written. A directive goes from `#` to the end of its last continuation line. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Line ends between the element before and this one. */
  readonly newlines: number;
  /** Columns of white space before it on its line; 0 directly behind the element before. */
  readonly gap: number;
}

/** How many columns a tab takes where an old column is measured. */
const TAB_WIDTH = 4;

const SPACE = 32;

/** The column, counted from 0, that a place of the text has on the screen. */
export function columnAt(text: string, offset: number): number {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  let column = 0;
  for (let at = lineStart; at < offset; at++)
    column += text.charCodeAt(at) === 9 ? TAB_WIDTH - (column % TAB_WIDTH) : 1;
  return column;
}

/** All elements of a file. Strings and comments without an end go to `diagnostics`, as the compiler reports them. */
export function elementsOf(file: SourceFile, diagnostics: Diagnostics): Element[] {
  const { text } = file;
  const elements: Element[] = [];
  const scanner = new Scanner(file, diagnostics);
  let end = scanner.position;
  const add = (kind: Element["kind"], token: string, start: number, stop: number) => {
    const { newlines, gap } = spaceOf(text, end, start);
    elements.push({ kind, token, text: text.slice(start, stop), start, end: stop, newlines, gap });
    end = stop;
  };
  const addComments = (stop: number) => {
    for (const { start, end: commentEnd } of commentsIn(text, end, stop))
      add(text[start + 1] === "/" ? "lineComment" : "blockComment", "comment", start, commentEnd);
  };
  for (let token = scanner.next(); token.kind !== "end"; token = scanner.next()) {
    addComments(token.start);
    if (token.kind === "#" && token.newline) {
      const stop = directiveEnd(text, token.start);
      add("directive", "directive", token.start, stop);
      scanner.position = stop;
    } else add("token", token.kind, token.start, token.end);
  }
  addComments(text.length);
  return elements;
}

/** What stands between two elements. A look at the line is needed for tabs alone, so that long lines cost no more. */
function spaceOf(text: string, from: number, to: number): { newlines: number; gap: number } {
  if (to === from || (to === from + 1 && text.charCodeAt(from) === SPACE))
    return { newlines: 0, gap: to - from };
  const between = text.slice(from, to);
  const newlines = between.split("\n").length - 1;
  if (newlines > 0) return { newlines, gap: 0 };
  return { newlines, gap: between.includes("\t") ? columnAt(text, to) - columnAt(text, from) : to - from };
}

/** The comments of a stretch of text that holds nothing but comments and white space. */
function commentsIn(text: string, from: number, to: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let at = from; at < to; ) {
    if (text[at] !== "/") {
      at++;
      continue;
    }
    const end = text[at + 1] === "/" ? lineEnd(text, at) : commentEnd(text, at);
    found.push({ start: at, end: trimmedEnd(text, at, Math.min(end, to)) });
    at = end;
  }
  return found;
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /\s/.test(text[at - 1]!)) at--;
  return at;
}

function commentEnd(text: string, start: number): number {
  const end = text.indexOf("*/", start + 2);
  return end < 0 ? text.length : end + 2;
}

/** The end of a line, over continuation lines. */
function lineEnd(text: string, start: number): number {
  for (let at = start; ; ) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    if (!/\\[ \t\r\v\f]*$/.test(text.slice(at, end))) return end;
    at = end + 1;
  }
}

/** Where a directive ends: continuation lines and comments that begin on its lines belong to it. */
function directiveEnd(text: string, start: number): number {
  let end = lineEnd(text, start);
  const parts = /"(?:\\.|[^"\\\n])*"|\/\/|\/\*/g;
  parts.lastIndex = start;
  for (let part = parts.exec(text); part !== null && part.index < end; part = parts.exec(text)) {
    if (part[0] === "//") break;
    if (part[0] !== "/*") continue;
    const stop = commentEnd(text, part.index);
    if (stop > end) end = lineEnd(text, stop);
    parts.lastIndex = stop;
  }
  return trimmedEnd(text, start, end);
}

/**
 * What the preprocessor and the parser see of a text: tokens, directives, and the places where a line end or a missing
 * space has a meaning. Two texts with the same list are the same program, but for line numbers.
 */
export function meaningOf(file: SourceFile): string[] {
  const list: string[] = [];
  let previous: Element | undefined;
  let pragma = false;
  for (const element of elementsOf(file, new Diagnostics())) {
    if (element.kind === "lineComment" || element.kind === "blockComment") {
      list.push(element.text.replace(/\s+/g, " "));
      continue;
    }
    const startsLine = previous === undefined || file.text.slice(previous.end, element.start).includes("\n");
    // `@pragma` goes to the end of its line.
    if (pragma && startsLine) {
      list.push("end of pragma");
      pragma = false;
    }
    if (element.token === "@" && /^@pragma\b/.test(file.text.slice(element.start, element.start + 8)))
      pragma = true;
    // Two `>` are one operator where nothing stands between them.
    const joined =
      previous?.token === ">" && element.token.startsWith(">") && previous.end === element.start
        ? "joined "
        : "";
    list.push(joined + (element.kind === "directive" ? element.text.replace(/\s+$/gm, "") : element.text));
    previous = element;
  }
  if (pragma) list.push("end of pragma");
  return list;
}
