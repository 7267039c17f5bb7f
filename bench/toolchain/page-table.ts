/** Tables in the pages of `docs` that a benchmark writes: between two marks, rewritten row by row. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const docs = join(import.meta.dirname, "../../docs");

export interface PageTable {
  /** File in `docs`. */
  readonly page: string;
  /** The benchmark that writes the table, `npm run bench -- NAME`; its name is in the marks. */
  readonly bench: string;
  readonly columns: readonly string[];
}

/**
 * Puts rows into the table of a page. The first cell of a row is its key: a row with the same key is replaced, other rows
 * stay, new rows come last. Throws an Error if the page lacks the marks.
 */
export function writeRows({ page, bench, columns }: PageTable, rows: readonly (readonly string[])[]): void {
  const path = join(docs, page);
  const text = readFileSync(path, "utf8");
  const begin = `<!-- ${bench}: written by \`npm run bench -- ${bench}\` -->`;
  const [from, to] = [text.indexOf(begin), text.indexOf(`<!-- ${bench}: end -->`)];
  if (from < 0 || to < from) throw new Error(`docs/${page}: no place for the table of ${bench}`);
  const head = lineOf(columns);
  // What says where the figures come from stands directly above the table.
  const marks = text
    .slice(from + begin.length, to)
    .split("\n")
    .filter((line) => line.startsWith("<!-- "));
  const kept = text
    .slice(from + begin.length, to)
    .split("\n")
    .filter((line) => line.startsWith("| ") && line !== head);
  const lines = new Map(kept.map((line) => [line.split("|")[1]!.trim(), line]));
  for (const row of rows) lines.set(row[0]!, lineOf(row));
  const table = [...marks, head, `|${columns.map(() => "---|").join("")}`, ...lines.values()].join("\n");
  writeFileSync(path, `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(to)}`);
}

const lineOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
