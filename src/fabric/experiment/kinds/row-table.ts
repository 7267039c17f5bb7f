/** Rows of results as a table of a page, with a column for each key. */
import { escapeMarkup } from "../../../base/index.js";

export function rowTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (tag: string, text: unknown) =>
    `<${tag}>${escapeMarkup(typeof text === "string" ? text : JSON.stringify(text ?? ""))}</${tag}>`;
  return [
    '<div style="overflow-x: auto"><table><thead><tr>',
    ...columns.map((key) => cell("th", key)),
    "</tr></thead><tbody>",
    ...rows.map((row) => `<tr>${columns.map((key) => cell("td", row[key])).join("")}</tr>`),
    "</tbody></table></div>",
  ].join("");
}
