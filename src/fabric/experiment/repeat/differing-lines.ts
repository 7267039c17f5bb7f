/** Where two texts differ, for people: cells of a CSV file by their columns, lines of other files. */

/** Further differences are counted. */
const MOST = 5;
const LONGEST = 120;

/** One line of text for each of the first differences. */
export function differingLines(name: string, before: string, after: string): string[] {
  const [first, second] = [before.split("\n"), after.split("\n")];
  const places = Array.from({ length: Math.max(first.length, second.length) }, (_, i) => i).filter(
    (i) => first[i] !== second[i],
  );
  const change = name.endsWith(".csv")
    ? changedCells(cellsOf(first[0] ?? ""), cellsOf(second[0] ?? ""))
    : changeOf;
  const shown = places.slice(0, MOST).map((i) => {
    const [had, has] = [first[i], second[i]];
    if (had === undefined || has === undefined)
      return `line ${i + 1}: ${had === undefined ? "only in the new run" : "only in the folder"}`;
    return `line ${i + 1}: ${change(had, has, i)}`;
  });
  const more = places.length - shown.length;
  return more === 0 ? shown : [...shown, `and ${more} more ${more === 1 ? "line" : "lines"}`];
}

/** Of the line with the columns those that only one file has; of other lines the cells of common columns. */
function changedCells(columns: readonly string[], newColumns: readonly string[]) {
  return (before: string, after: string, line: number): string => {
    if (line === 0) {
      const lost = columns.filter((column) => !newColumns.includes(column));
      const added = newColumns.filter((column) => !columns.includes(column));
      return `columns only in the folder: ${lost.join(", ") || "none"}; only now: ${added.join(", ") || "none"}`;
    }
    const [first, second] = [cellsOf(before), cellsOf(after)];
    const changed = columns.flatMap((column, i) => {
      const [had, has] = [first[i], second[newColumns.indexOf(column)]];
      if (has === undefined || had === has) return [];
      return [`${column}: ${changeOf(had ?? "", has)}`];
    });
    return changed.length === 0 ? changeOf(before, after) : changed.join("; ");
  };
}

/** From where the texts differ on. */
function changeOf(before: string, after: string): string {
  let at = 0;
  if (before.length > LONGEST || after.length > LONGEST) {
    while (before[at] === after[at]) at++;
    at = Math.max(0, at - 20);
  }
  const part = (text: string) => JSON.stringify(text.slice(at, at + LONGEST));
  return `${part(before)} in the folder, ${part(after)} now`;
}

/** Cells of a line of RFC 4180 without line ends in cells. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'),
  );
}
