/** Tables as CSV (RFC 4180), written and read. What is written is safe to open in a spreadsheet. */
import type { SourceFile, Span } from "../../base/index.js";

/** A text that a spreadsheet reads as a formula, or in which it finds one (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r]/;

export const isFormula = (text: string): boolean => FORMULA.test(text);

/** Rows as CSV; a text that a spreadsheet would read as a formula gets an apostrophe as prefix. */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: string | number): string {
  const text = typeof value === "string" && isFormula(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export interface CsvRow {
  readonly cells: readonly string[];
  /** Its first line. */
  readonly span: Span;
}

/** Why a text is no table, and where. */
export class CsvError extends Error {
  constructor(
    message: string,
    readonly span: Span,
  ) {
    super(message);
  }
}

/**
 * Rows of a table without its empty lines. The separator is a comma, a semicolon or a tab: the one that the first line has most often. A byte
 * order mark is skipped. Throws CsvError for a quoted cell that does not end, or that has text after its end.
 */
export function readCsv(file: SourceFile): CsvRow[] {
  const { text } = file;
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  const separator = separatorOf(file.lineText(1));
  const rows: CsvRow[] = [];
  while (at < text.length) {
    const start = at;
    const cells: string[] = [];
    for (;;) {
      const read = text[at] === '"' ? quoted(file, at) : plain(text, at, separator);
      cells.push(read.cell);
      at = read.end;
      if (text[at] !== separator) break;
      at++;
    }
    if (text[at] === "\r") at++;
    const end = at;
    if (text[at] === "\n") at++;
    if (cells.some((one) => one.trim() !== "")) rows.push({ cells, span: { file, start, end } });
  }
  return rows;
}

function separatorOf(line: string): string {
  const count = (one: string): number => line.split(one).length;
  return [";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best), ",");
}

interface ReadCell {
  readonly cell: string;
  readonly end: number;
}

function plain(text: string, start: number, separator: string): ReadCell {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
  return { cell: text.slice(start, end), end };
}

function quoted(file: SourceFile, start: number): ReadCell {
  const { text } = file;
  let cell = "";
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== '"') cell += text[at];
    else if (text[at + 1] === '"') cell += text[++at];
    else {
      const end = at + 1;
      if (end < text.length && !/[,;\t\r\n]/.test(text[end]!))
        throw new CsvError("text after the end of a quoted cell", { file, start: end, end: end + 1 });
      return { cell, end };
    }
  }
  throw new CsvError("a quoted cell does not end", { file, start, end: start + 1 });
}
