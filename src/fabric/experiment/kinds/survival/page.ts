/** The page of a survival experiment: its rows and its file. */

import type { SweepResults } from "../kind.js";
import { rowTable } from "../row-table.js";
import { sweepPage } from "../sweep-page.js";
import type { Survival, SurvivalUnit } from "./check.js";
import type { SurvivalOutcome } from "./outcome.js";
import type { SurvivalRow } from "./rows.js";

type SurvivalSweep = SweepResults<Survival, SurvivalUnit, SurvivalOutcome, SurvivalRow>;

export function survivalFiles(sweep: SurvivalSweep): [name: string, text: string][] {
  const { settings } = sweep.points[0]!.experiment;
  const rows = sweep.points.flatMap(({ units }) => units.flatMap((unit) => unit.rows));
  const lead = `${settings.connections} connections; seeds ${sweep.seeds.join(", ")}.`;
  const html = sweepPage(sweep, rows, lead, ["<h2>Results</h2>", rowTable(rows)]);
  return [["report.html", html]];
}
