/** Comma-separated values, for other programs that plot or check results. */

/** Lines of comma-separated values; nothing for null. */
export function csv(header: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

/** Rows of any kind: their keys, those of the first row, are the header. */
export function rowsCsv(rows: readonly object[]): string {
  const header = Object.keys(rows[0] ?? {});
  return csv(
    header,
    rows.map((row) => header.map((key) => (row as Readonly<Record<string, unknown>>)[key])),
  );
}
