/** The files that a kind draws from its results: its page, the figures of it, the same as data for papers, and the kind's own files. */
import { FIGURES_FILE, figuresData } from "../paper/data.js";
import type { FileText, SweepResults } from "../results.js";
import { renderPage } from "./page.js";
import { tableCells } from "./parts.js";
import type { Described, View } from "./view.js";

/** What a kind draws from its results, in addition to the table for a terminal. */
export async function drawnFiles<E extends Described, U, O, R extends object>(
  { columns, page, files }: View<E, U, O, R>,
  results: SweepResults<E, U, O, R>,
): Promise<(readonly [name: string, text: FileText])[]> {
  const shown = page(results);
  const { html, figures } = await renderPage(results, shown);
  const { rows, keys } = results;
  return [
    ["report.html", html],
    ...figures,
    [FIGURES_FILE, figuresData(results, shown, tableCells(columns, rows, keys))],
    ...(files?.(results) ?? []),
  ];
}
