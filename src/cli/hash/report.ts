/** What every subject of `p4loom hash` yields, and how it is printed: as text, as JSON, as a page. */
import { type Cell, escapeMarkup, formatTable, htmlPage } from "../../base/index.js";

interface HashTable {
  /** Empty for the only table. */
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface HashReport {
  readonly title: string;
  readonly tables: readonly HashTable[];
  /** Sentences below the tables. */
  readonly notes: readonly string[];
  /** One JSON document. */
  readonly json: unknown;
  /** SVG figures for the page, each with its caption. */
  readonly figures?: readonly { readonly svg: string; readonly caption: string }[];
}

export function reportText({ tables, notes }: HashReport): string {
  const parts = tables.map(({ title, header, rows }) =>
    [...(title === "" ? [] : [`${title}:`]), formatTable(header, rows)].join("\n"),
  );
  return `${[...parts, ...(notes.length === 0 ? [] : [notes.join("\n")])].join("\n\n")}\n`;
}

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}th,td{padding:.2rem .7rem;border-bottom:1px solid #8885;text-align:left}
td{font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}`;

export function reportPage(report: HashReport): string {
  const { title, tables, notes, figures = [] } = report;
  return htmlPage(title, STYLE, [
    `<h1>${escapeMarkup(title)}</h1>`,
    ...figures.map(
      ({ svg, caption }) => `<figure>${svg}<figcaption>${escapeMarkup(caption)}</figcaption></figure>`,
    ),
    ...tables.map(tableHtml),
    ...notes.map((note) => `<p>${escapeMarkup(note)}</p>`),
  ]);
}

function tableHtml({ title, header, rows }: HashTable): string {
  const cell = (value: Cell) => `<td>${escapeMarkup(String(value ?? "-"))}</td>`;
  return [
    title === "" ? "" : `<h2>${escapeMarkup(title)}</h2>`,
    `<table><thead><tr>${header.map((name) => `<th>${escapeMarkup(name)}</th>`).join("")}</tr></thead>`,
    `<tbody>${rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n")}</tbody></table>`,
  ].join("\n");
}
