/** Renders what a kind declares: the table for a terminal is `textTable`, all else are files. */
import type { SweepResults } from "../results.js";
import type { FileText } from "../write.js";
import { renderPage } from "./page.js";
import type { View } from "./view.js";

/** The page, its figures, and the kind's own files. */
export async function drawnFiles<E, U, O, R extends object>(
  { page, files }: View<E, U, O, R>,
  results: SweepResults<E, U, O, R>,
): Promise<(readonly [name: string, text: FileText])[]> {
  const { html, figures } = await renderPage(page(results));
  return [["report.html", html], ...figures, ...(files?.(results) ?? [])];
}
