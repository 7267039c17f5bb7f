/** Columns: what an author aligned over neighbouring lines stays aligned, anything else does not begin to be. */

/** A place in a line that may be aligned with those of its neighbours. */
import { defined } from "../../base/index.js";
export interface Cell {
  readonly kind: "name" | "value" | "colon" | "comment";
  /** Offset in the text of the line; of a cell with a space before it, the offset after the space. */
  readonly at: number;
  /** The author left more than one space before it. */
  readonly wide: boolean;
}

export interface Line {
  readonly indent: number;
  /** Without indentation. A block comment or directive of several lines is one text with line ends. */
  readonly text: string;
  readonly cells: readonly Cell[];
  /** A whole statement, so that shifting its end moves nothing else. */
  readonly whole: boolean;
}

const KINDS = ["name", "value", "colon", "comment"] as const;

/** Aligns cells of the same kind in runs of neighbouring lines where the author did so in at least one. */
export function alignColumns(lines: readonly Line[]): Line[] {
  let result = [...lines];
  for (const kind of KINDS) result = alignKind(result, kind);
  return result;
}

function cellOf(line: Line, kind: Cell["kind"]): Cell | undefined {
  if (line.text.includes("\n") || (kind !== "comment" && !line.whole)) return undefined;
  return line.cells.find((cell) => cell.kind === kind);
}

function alignKind(lines: readonly Line[], kind: Cell["kind"]): Line[] {
  const result = [...lines];
  for (let from = 0; from < lines.length; ) {
    const run: number[] = [];
    let to = from;
    for (; to < lines.length; to++) {
      const line = defined(lines[to]);
      if (
        cellOf(line, kind) === undefined
          ? !isBetween(line, kind)
          : line.indent !== defined(lines[from]).indent
      )
        break;
      if (cellOf(line, kind) !== undefined) run.push(to);
    }
    if (run.length > 1 && run.some((at) => defined(cellOf(defined(lines[at]), kind)).wide)) {
      const column = Math.max(
        ...run.map((at) => endBefore(defined(lines[at]), defined(cellOf(defined(lines[at]), kind)))),
      );
      for (const at of run)
        result[at] = shifted(defined(lines[at]), defined(cellOf(defined(lines[at]), kind)), column);
    }
    from = Math.max(to, from + 1);
  }
  return result;
}

/** A line of comments or annotations between declarations, across which their columns continue. */
function isBetween(line: Line, kind: Cell["kind"]): boolean {
  return kind !== "comment" && /^(\/\/|\/\*|@\w+(\(.*\))?$|#)/.test(line.text);
}

/** The length of what stands before a cell, without spaces. */
function endBefore(line: Line, cell: Cell): number {
  return line.text.slice(0, cell.at).trimEnd().length;
}

/** The line with its cell one space behind `column`. */
function shifted(line: Line, cell: Cell, column: number): Line {
  const left = line.text.slice(0, cell.at).trimEnd();
  const right = line.text.slice(cell.at).trimStart();
  const text = left + " ".repeat(column - left.length + 1) + right;
  const delta = text.length - line.text.length;
  const cells = line.cells.map((one) => (one.at > cell.at ? { ...one, at: one.at + delta } : one));
  return { ...line, text, cells };
}
