/**
 * Traffic files: the source, destination, size and start of each flow. CSV with a line of column names:
 *
 *     start,src,dst,bytes,port
 *     0ms,h1,h3,20000,5201
 *     1.5ms,h2,h4,1000000,
 *
 * Columns may be in any order. `port` may be absent or empty; it is then 5201. Times have a unit. `#` starts a comment line.
 */
import { type Diagnostics, SourceFile, type Span } from "../../base/index.js";
import { parseDuration } from "../topology/index.js";
import { CODES } from "./codes.js";

export interface TrafficFlow {
  /** Nanoseconds after the start of the traffic. */
  readonly startNs: number;
  /** Names of hosts. */
  readonly src: string;
  readonly dst: string;
  readonly bytes: number;
  readonly port: number;
}

/** Destination port of flows for which a traffic file has no port. */
export const DEFAULT_PORT = 5201;

const COLUMNS = ["start", "src", "dst", "bytes", "port"] as const;
type Column = (typeof COLUMNS)[number];
const REQUIRED: readonly Column[] = ["start", "src", "dst", "bytes"];

/** A value of a line; its span is computed only for a message. */
class Cell {
  constructor(
    readonly file: SourceFile,
    readonly text: string,
    readonly start: number,
  ) {}

  get span(): Span {
    const { file, start, text } = this;
    return { file, start, end: start + Math.max(text.length, 1) };
  }
}

/**
 * Reads a traffic file, in its order. Errors go to `diagnostics`: P42320 for column names, P42321 for a line
 * with too many or too few values, P42322 for a value, P42323 for a host that is not one of `hosts`; such a line is left
 * out.
 */
export function readTrafficFile(
  file: SourceFile,
  hosts: ReadonlySet<string>,
  diagnostics: Diagnostics,
): TrafficFlow[] {
  return [...new FlowLines(file.path, hosts, diagnostics).read([file.text])];
}

/**
 * The flows of a long traffic file, one at a time, while the text comes in pieces: only a piece is in memory. Errors as those of
 * {@link readTrafficFile}, and P42324 for a flow that starts before the one in the line above.
 */
export function streamTrafficFile(
  path: string,
  pieces: Iterable<string>,
  hosts: ReadonlySet<string>,
  diagnostics: Diagnostics,
): Generator<TrafficFlow> {
  return new FlowLines(path, hosts, diagnostics, true).read(pieces);
}

class FlowLines {
  #columns: Column[] | undefined;
  #latest = 0;

  constructor(
    readonly path: string,
    readonly hosts: ReadonlySet<string>,
    readonly diagnostics: Diagnostics,
    /** Whether starts must ascend. */
    readonly ordered = false,
  ) {}

  *read(pieces: Iterable<string>): Generator<TrafficFlow> {
    let rest = "";
    let line = 1;
    for (const piece of pieces) {
      const whole = piece.lastIndexOf("\n") + 1;
      if (whole === 0) {
        rest += piece;
        continue;
      }
      const file = new SourceFile(this.path, rest + piece.slice(0, whole), line);
      rest = piece.slice(whole);
      if (!(yield* this.#flows(file))) return;
      // The piece ends with a line, so that the last start is that of the next one.
      line += file.lineStarts.length - 1;
    }
    const file = new SourceFile(this.path, rest, line);
    if (!(yield* this.#flows(file))) return;
    if (this.#columns !== undefined) return;
    const end = rest.length;
    this.diagnostics.error(
      CODES.columnNames,
      { file, start: end, end },
      "the file has no line of column names",
      EXPECTED,
    );
  }

  /** Returns whether reading may continue. */
  *#flows(file: SourceFile): Generator<TrafficFlow, boolean> {
    for (const cells of lines(file)) {
      if (this.#columns === undefined) {
        this.#columns = readColumns(file, cells, this.diagnostics);
        if (this.#columns === undefined) return false;
        continue;
      }
      const flow = readFlow(this.#columns, cells, this.hosts, this.diagnostics);
      if (flow === undefined) continue;
      if (this.ordered && flow.startNs < this.#latest) {
        const { text, span } = cells[this.#columns.indexOf("start")]!;
        const message = `start: ${text} is before the start of the flow above`;
        this.diagnostics.error(CODES.cellOrder, span, message, "sort the lines by their start");
        continue;
      }
      this.#latest = flow.startNs;
      yield flow;
    }
    return true;
  }
}

const EXPECTED = `expected start,src,dst,bytes and perhaps port`;

/** The cells of all lines that are neither empty nor comments. */
function* lines(file: SourceFile): Generator<Cell[]> {
  const { text } = file;
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const cells = cellsOf(file, start, end);
    if (cells !== undefined) yield cells;
    start = end + 1;
  }
}

function cellsOf(file: SourceFile, start: number, end: number): Cell[] | undefined {
  const line = file.text.slice(start, end);
  const first = line.trimStart();
  if (first === "" || first.startsWith("#")) return undefined;
  const cells: Cell[] = [];
  for (let at = 0; at <= line.length; ) {
    const comma = line.indexOf(",", at);
    const to = comma < 0 ? line.length : comma;
    const raw = line.slice(at, to);
    const text = raw.trim();
    cells.push(new Cell(file, text, start + at + (text === "" ? 0 : raw.indexOf(text))));
    at = to + 1;
  }
  return cells;
}

function readColumns(
  file: SourceFile,
  cells: readonly Cell[],
  diagnostics: Diagnostics,
): Column[] | undefined {
  const names = cells.map(({ text }) => text);
  const wrong = cells.find(({ text }, i) => !COLUMNS.includes(text as Column) || names.indexOf(text) !== i);
  if (wrong !== undefined) {
    const why = COLUMNS.includes(wrong.text as Column) ? "is listed twice" : "is no column";
    diagnostics.error(CODES.columnNames, wrong.span, `"${wrong.text}" ${why}`, EXPECTED);
    return undefined;
  }
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const span = { file, start: cells[0]!.span.start, end: cells.at(-1)!.span.end };
    diagnostics.error(CODES.columnNames, span, `column ${missing.join(", ")} is missing`, EXPECTED);
    return undefined;
  }
  return names as Column[];
}

function readFlow(
  columns: readonly Column[],
  cells: readonly Cell[],
  hosts: ReadonlySet<string>,
  diagnostics: Diagnostics,
): TrafficFlow | undefined {
  if (cells.length !== columns.length) {
    const message = `expected ${columns.length} values, one a column, got ${cells.length}`;
    diagnostics.error(CODES.columnCount, cells[0]!.span, message, columns.join(","));
    return undefined;
  }
  const before = diagnostics.errorCount;
  const cell = (column: Column): Cell | undefined => cells[columns.indexOf(column)];
  const host = (column: "src" | "dst"): string => {
    const { text, span } = cell(column)!;
    if (!hosts.has(text)) {
      diagnostics.error(
        CODES.cellHost,
        span,
        `there is no host "${text}"`,
        `hosts are ${someOf([...hosts])}`,
      );
    }
    return text;
  };
  const start = cell("start")!;
  const startNs = parseDuration(start.text);
  if (startNs === undefined) {
    diagnostics.error(
      CODES.cellValue,
      start.span,
      `start: expected a time such as 1.5ms, got "${start.text}"`,
    );
  }
  const src = host("src");
  const dst = host("dst");
  if (src === dst && hosts.has(src)) {
    diagnostics.error(CODES.cellHost, cell("dst")!.span, `"${dst}" is also the source`, "name another host");
  }
  const bytes = readWhole(cell("bytes")!, "bytes", Number.MAX_SAFE_INTEGER, diagnostics);
  const portCell = cell("port");
  const port =
    portCell === undefined || portCell.text === ""
      ? DEFAULT_PORT
      : readWhole(portCell, "port", 65535, diagnostics);
  return diagnostics.errorCount > before ? undefined : { startNs: startNs!, src, dst, bytes, port };
}

function readWhole({ text, span }: Cell, name: string, most: number, diagnostics: Diagnostics): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) {
    diagnostics.error(
      CODES.cellValue,
      span,
      `${name}: expected a whole number from 1 to ${most}, got "${text}"`,
    );
  }
  return value;
}

function someOf(names: readonly string[]): string {
  return names.length <= 8 ? names.join(", ") : `${names.slice(0, 8).join(", ")}, ...`;
}
