/** Plain text tables for terminals: numbers are aligned right, words left. */

export type Cell = string | number | null | undefined;

/**
 * Lays out rows under a header, two spaces between columns. A column whose cells are all numbers
 * (or start with a digit) is aligned right. Null and undefined print as `-`.
 */
export function formatTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const text = rows.map((row) => header.map((_, i) => cellText(row[i])));
  const right = header.map((_, i) => text.length > 0 && text.every((row) => /^[-+]?(\d|$)/.test(row[i]!)));
  const widths = header.map((name, i) => Math.max(name.length, ...text.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (right[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join("  ")
      .trimEnd();
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...text.map(line)].join("\n");
}

function cellText(cell: Cell): string {
  return cell === null || cell === undefined ? "-" : String(cell);
}
