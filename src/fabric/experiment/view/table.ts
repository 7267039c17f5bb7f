/** Tables of rows: as text for a terminal, and as HTML for a page. */
import { type Cell, escapeMarkup, formatTable, given } from "../../../base/index.js";
import type { Column, Columns } from "./view.js";

/** `swept`: keys that a sweep adds to the rows. They follow the scheme, and the seed where there are several. */
export function textTable<R extends object>(
  columns: Columns<R>,
  rows: readonly R[],
  swept: readonly string[] = [],
): string {
  const own = typeof columns === "function" ? columns(rows, swept) : columns;
  const seeds = new Set(rows.map((row) => valueAt(row, "seed"))).size > 1 ? ["seed"] : [];
  const keys = ["scheme", ...swept, ...seeds].map((key): Column<R> => ({ key, title: key, format: plain }));
  const shown = [...keys, ...shownColumns(own, rows, "terminal")].flatMap((column) => [
    column,
    ...besideOf(column).filter(({ title }) => title !== ""),
  ]);
  return formatTable(
    shown.map(({ title }) => title),
    rows.map((row) => shown.map((column) => textOf(column, row))),
  );
}

function shownColumns<R extends object>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  where: "terminal" | "page",
): Column<R>[] {
  return columns.filter(({ key, only = where, optional = false }) => {
    const has = (row: R) => (optional ? (valueAt(row, key) ?? undefined) : valueAt(row, key)) !== undefined;
    return only === where && (key === undefined || rows.some(has));
  });
}

/** The column of the second figures. */
function besideOf<R extends object>({ beside, digits, format }: Column<R>): Column<R>[] {
  if (beside === undefined) return [];
  const own = format && ((value: unknown, row: R) => (value === null ? null : format(value, row)));
  return [{ title: "", ...beside, ...given({ digits, format: own }) }];
}

function valueAt(row: object, key: string | undefined): unknown {
  return key === undefined ? undefined : (row as Readonly<Record<string, unknown>>)[key];
}

/** Null where the row has no value. */
function textOf<R extends object>({ key, format, digits }: Column<R>, row: R): Cell {
  const value = valueAt(row, key);
  if (format !== undefined) return format(value, row);
  if (digits === undefined) return significant(value);
  if (typeof value !== "number") return null;
  const interval = intervalOf(row, key);
  return interval === 0 ? value.toFixed(digits) : `${value.toFixed(digits)} ±${interval.toFixed(digits)}`;
}

/** Half of the confidence interval; 0 where there is none. */
function intervalOf(row: object, key: string | undefined): number {
  const interval = valueAt(row, `${key}_ci95`);
  return typeof interval === "number" && interval > 0 ? interval : 0;
}

/** A value as it is. */
function plain(value: unknown): Cell {
  return typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
}

/** Four significant digits of a number that is not whole. */
function significant(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : plain(value);
}

/** A format: so many digits after the point of a number that is not whole. */
export function decimals(digits: number): (value: unknown) => Cell {
  return (value) => {
    if (value === null || value === undefined) return null;
    return typeof value === "number" && !Number.isInteger(value) ? value.toFixed(digits) : plain(value);
  };
}

/** A column of a table of a page. `L`: what a line shows. */
export interface PageColumn<L> {
  /** HTML. */
  readonly heading: string;
  /** `word`: on the left, in one line; `text`: on the left, in several lines. */
  readonly kind?: "word" | "text" | undefined;
  /** HTML. `first`: the line begins a group. */
  readonly cell: (line: L, first: boolean) => string;
}

export interface PageTable<L> {
  readonly columns: readonly PageColumn<L>[];
  readonly lines: readonly L[];
  /** Whether a line begins a group. */
  readonly first?: (line: L, before: L | undefined) => boolean;
  /** Attribute of a box around the table, in which it scrolls. */
  readonly box?: string;
  readonly joint?: string;
}

export function pageTable<L>({ columns, lines, first, box, joint = "\n" }: PageTable<L>): string {
  const tag = (name: string, kind: string | undefined, html: string) =>
    `<${name}${kind === undefined ? "" : ` class="${kind}"`}>${html}</${name}>`;
  const head = columns.map(({ heading, kind }) => tag("th", kind && "word", heading)).join("");
  const body = lines.map((line, i) => {
    const begins = first?.(line, lines[i - 1]) === true;
    const cells = columns.map(({ kind, cell }) => tag("td", kind, cell(line, begins))).join("");
    return `<tr${begins ? ' class="first"' : ""}>${cells}</tr>`;
  });
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join(joint)}</tbody></table>`;
  return box === undefined ? table : `<div ${box}>${table}</div>`;
}

/** The columns of a page for rows, which are parts of lines. */
export function rowColumns<R extends object, L>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  rowOf: (line: L) => R,
): PageColumn<L>[] {
  return shownColumns(columns, rows, "page").map((column) => ({
    heading: column.heading ?? column.title,
    cell: (line) => cellOf(column, rowOf(line)),
  }));
}

/** A column of words: on the left. */
export function word<L>(heading: string, cell: (line: L, first: boolean) => string): PageColumn<L> {
  return { heading, kind: "word", cell: (line, first) => escapeMarkup(cell(line, first)) };
}

/** Rows of schemes, each of which begins a group. */
export function schemeTable<R extends { readonly scheme: string }>(
  words: readonly PageColumn<R>[],
  columns: readonly Column<R>[],
  lines: readonly R[],
): string {
  const first = (row: R, before: R | undefined) => before !== undefined && before.scheme !== row.scheme;
  return pageTable({ columns: [...words, ...rowColumns(columns, lines, (row: R) => row)], lines, first });
}

function cellOf<R extends object>(column: Column<R>, row: R): string {
  const { key, html, digits } = column;
  const value = valueAt(row, key);
  const interval = intervalOf(row, key);
  const number = () =>
    digits === undefined || typeof value !== "number"
      ? markupOf(textOf(column, row))
      : `${localNumber(value, digits)}${interval === 0 ? "" : `<small>±${localNumber(interval, digits)}</small>`}`;
  const own = html?.(row) ?? number();
  const [second = null] = besideOf(column).map((one) => textOf(one, row));
  return second === null ? own : `${own}<small>${markupOf(second)}</small>`;
}

function markupOf(cell: Cell): string {
  return cell === null || cell === undefined ? "&ndash;" : escapeMarkup(String(cell));
}

/** A number for a reader: at least two of the digits after the point. */
export function localNumber(value: number, digits: number): string {
  return value.toLocaleString("en-US", {
    maximumFractionDigits: digits,
    minimumFractionDigits: Math.min(digits, 2),
  });
}

/** A column for each key of the rows, in the order in which they first occur. `isWord`: whether its values are words; `none`: in place of null. */
export function keyColumns<R extends object>(
  rows: readonly R[],
  isWord: (key: string) => boolean,
  none = "",
): PageColumn<R>[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return keys.map((key) => ({
    heading: escapeMarkup(key),
    kind: isWord(key) ? "word" : undefined,
    cell: (row) => {
      const value = valueAt(row, key) ?? none;
      return escapeMarkup(typeof value === "string" ? value : JSON.stringify(value));
    },
  }));
}

/** Rows as a table with a column for each of their keys. */
export function rowTable<R extends object>(rows: readonly R[]): string {
  const columns = keyColumns(rows, () => false, '""');
  return pageTable({ columns, lines: rows, box: SCROLLS, joint: "" });
}

/** Attribute of a box in which a wide table scrolls. */
export const SCROLLS = 'style="overflow-x: auto"';
