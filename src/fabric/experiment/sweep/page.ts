/** The page of a sweep whose kind has none of its own: its rows as a table. */
import { escapeMarkup } from "../../../base/index.js";
import type { FabricExperiment } from "../experiment.js";
import type { SweepResults } from "../kinds/kind.js";
import { resultsPage } from "../page.js";
import type { RunResults } from "../results.js";

export function sweepPage<E extends FabricExperiment, U, O, R extends object>(
  results: RunResults<E, O, R>,
  { keys, seeds, points }: SweepResults<E, U, O, R>,
): readonly [name: string, text: string] {
  const columns = [...new Set(results.rows.flatMap((row) => Object.keys(row)))];
  const isNumber = (key: string) =>
    results.rows.every((row) => ["number", "undefined"].includes(typeof valueAt(row, key)));
  const words = new Set(columns.filter((key) => !isNumber(key)));
  const cell = (tag: "th" | "td", key: string, text: string) =>
    `<${tag}${words.has(key) ? ' class="word"' : ""}>${escapeMarkup(text)}</${tag}>`;
  const lines = results.rows.map(
    (row) => `<tr>${columns.map((key) => cell("td", key, textOf(valueAt(row, key)))).join("")}</tr>`,
  );
  const body = [
    "<h2>Results</h2>",
    '<div style="overflow-x: auto">',
    `<table><thead><tr>${columns.map((key) => cell("th", key, key)).join("")}</tr></thead>`,
    `<tbody>${lines.join("\n")}</tbody></table>`,
    "</div>",
  ];
  const facts: [string, string][] = [
    ["swept keys", keys.join(", ") || "none"],
    ["points, seeds", `${points.length}, ${seeds.length}`],
  ];
  return ["report.html", resultsPage(results, { body, facts })];
}

function valueAt(row: object, key: string): unknown {
  return (row as Readonly<Record<string, unknown>>)[key] ?? undefined;
}

function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
