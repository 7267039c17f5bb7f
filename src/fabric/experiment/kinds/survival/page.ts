/** The page of a survival experiment: its rows and its file. */
import { escapeMarkup, htmlPage } from "../../../../base/index.js";
import { rowsCsv } from "../../csv.js";
import { flatten } from "../../page.js";
import type { SweepResults } from "../kind.js";
import { PAGE_STYLE } from "../load/page-style.js";
import { rowTable } from "../row-table.js";
import type { Survival, SurvivalUnit } from "./check.js";
import type { SurvivalOutcome } from "./outcome.js";
import type { SurvivalRow } from "./rows.js";

type SurvivalSweep = SweepResults<Survival, SurvivalUnit, SurvivalOutcome, SurvivalRow>;

export function survivalFiles(sweep: SurvivalSweep): [name: string, text: string][] {
  const { settings, source } = sweep.points[0]!.experiment;
  const title = settings.title ?? settings.name;
  const rows = sweep.points.flatMap(({ units }) => units.flatMap((unit) => unit.rows));
  const html = htmlPage(title, PAGE_STYLE, [
    "<main>",
    `<h1>${escapeMarkup(title)}</h1>`,
    `<p class="lead">${settings.connections} connections; seeds ${sweep.seeds.join(", ")}.</p>`,
    ...sweep.warnings.map((text) => `<p class="note"><strong>Warning: ${escapeMarkup(text)}</strong></p>`),
    ...sweep.notes.map((text) => `<p class="note">${escapeMarkup(text)}</p>`),
    "<h2>Results</h2>",
    rowTable(rows),
    "<h2>Parameters</h2>",
    `<p class="note">${escapeMarkup(flatten(settings.topology).join(", "))}</p>`,
    `<details><summary>Experiment file</summary><pre>${escapeMarkup(source.text)}</pre></details>`,
    `<details><summary>Results as CSV</summary><pre>${escapeMarkup(rowsCsv(rows))}</pre></details>`,
    "</main>",
  ]);
  return [["report.html", html]];
}
