/** The page of kinds whose runs have no packets: notes, the kind's own parts, parameters, the file and the rows. */

import type { SourceFile } from "../../../base/index.js";
import { escapeMarkup, htmlPage } from "../../../base/index.js";
import { rowsCsv } from "../csv.js";
import { flatten } from "../page.js";
import { lineOf } from "./load/figures/style.js";
import { PAGE_STYLE } from "./load/page-style.js";

/** What the page shows of a checked file. */
interface Described {
  readonly settings: {
    readonly name: string;
    readonly title?: string | undefined;
    readonly topology: object;
  };
  readonly source: SourceFile;
}

/** `lead`: one paragraph as HTML; `body`: HTML, one part in each line. */
export function sweepPage(
  sweep: {
    readonly warnings: readonly string[];
    readonly notes: readonly string[];
    readonly points: readonly { readonly experiment: Described }[];
  },
  rows: readonly object[],
  lead: string,
  body: readonly string[],
): string {
  const { settings, source } = sweep.points[0]!.experiment;
  const title = settings.title ?? settings.name;
  return htmlPage(title, PAGE_STYLE, [
    "<main>",
    `<h1>${escapeMarkup(title)}</h1>`,
    `<p class="lead">${lead}</p>`,
    ...sweep.warnings.map((text) => `<p class="note"><strong>Warning: ${escapeMarkup(text)}</strong></p>`),
    ...sweep.notes.map((text) => `<p class="note">${escapeMarkup(text)}</p>`),
    ...body,
    "<h2>Parameters</h2>",
    `<p class="note">${escapeMarkup(flatten(settings.topology).join(", "))}</p>`,
    `<details><summary>Experiment file</summary><pre>${escapeMarkup(source.text)}</pre></details>`,
    `<details><summary>Results as CSV</summary><pre>${escapeMarkup(rowsCsv(rows))}</pre></details>`,
    "</main>",
  ]);
}

/** The lines of the figures with their titles; a line is drawn as that of its place. */
export function legend(lines: readonly { readonly title: string; readonly place: number }[]): string {
  const entries = lines.map(({ title, place }) => {
    const { colour, dash } = lineOf(place);
    const stroke = `stroke="${colour}" stroke-width="3"${dash === undefined ? "" : ` stroke-dasharray="${dash}"`}`;
    return `<span><svg width="26" height="8" aria-hidden="true"><path d="M0 4h26" ${stroke}></path></svg>${escapeMarkup(title)}</span>`;
  });
  return `<div class="legend">${entries.join("")}</div>`;
}

/** The legend of schemes in the order of the file. */
export const schemeLegend = (schemes: readonly string[]): string =>
  legend(schemes.map((title, place) => ({ title, place })));
