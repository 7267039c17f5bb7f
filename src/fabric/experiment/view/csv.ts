/** Comma-separated values, for other programs that plot or check results. */

/** Lines of comma-separated values: an empty cell for null, JSON for lists and maps. */
export function csv(header: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? "" : textOf(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Rows of any kind: the keys of all rows are the header, in the order in which they first occur. */
export function rowsCsv(rows: readonly object[]): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return csv(
    header,
    rows.map((row) => header.map((key) => (row as Readonly<Record<string, unknown>>)[key])),
  );
}
