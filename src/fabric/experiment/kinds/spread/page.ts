/** The page of a spread experiment, and its figures as files. The page loads no other file. */

import { escapeMarkup } from "../../../../base/index.js";
import { inline } from "../../page.js";
import { loadPlot } from "../../plot.js";
import type { SweepResults } from "../kind.js";
import { linesFigure } from "../load/figures/lines.js";
import { rowTable } from "../row-table.js";
import { schemeLegend, sweepPage } from "../sweep-page.js";
import type { Spread, SpreadUnit } from "./check.js";
import type { SpreadOutcome } from "./outcome.js";
import type { SpreadRow } from "./rows.js";

type SpreadSweep = SweepResults<Spread, SpreadUnit, SpreadOutcome, SpreadRow>;
type SpreadPoint = SpreadSweep["points"][number];

interface Curve {
  readonly scheme: string;
  readonly dots: readonly { readonly x: number; readonly y: number }[];
}

export async function spreadFiles(sweep: SpreadSweep): Promise<[name: string, text: string][]> {
  const Plot = await loadPlot();
  const schemes = [...new Set(sweep.points.flatMap(({ units }) => units.map(({ unit }) => unit.scheme)))];
  const figures: [string, string][] = [];
  const sections = sweep.points.map((point, i) => {
    const suffix = sweep.points.length === 1 ? "" : `-${i + 1}`;
    const name = sweep.keys.map((key) => `${key} ${JSON.stringify(point.values[key])}`).join(", ");
    const panels = (
      [
        ["cdf", cdfOf(point), "CV of a group", "share of the groups"],
        [
          "group",
          loadsOf(point, ({ worst }) => worst?.loads),
          "port of the least even group, by load",
          "load over its mean",
        ],
        ["pods", loadsOf(point, ({ pods }) => pods), "link between two pods, by load", "load over its mean"],
      ] as const
    ).map(([file, curves, x, y]) => {
      const lines = curves.map((curve) => ({ ...curve, place: schemes.indexOf(curve.scheme) }));
      const svg = linesFigure(Plot, lines, x, y, false);
      if (svg === undefined) return "";
      figures.push([`figures/${file}${suffix}.svg`, svg]);
      return `<figure>${inline(svg)}</figure>`;
    });
    return `<h2>${escapeMarkup(name === "" ? "Groups and links" : name)}</h2><div class="panels">${panels.join("")}</div>`;
  });
  const { settings } = sweep.points[0]!.experiment;
  const rows = sweep.points.flatMap(({ units }) => units.flatMap((unit) => unit.rows));
  const lead = `${settings.trace_flows} flows traced under ${schemes.length} schemes; seeds ${sweep.seeds.join(", ")}.`;
  const html = sweepPage(sweep, rows, lead, [
    schemeLegend(schemes),
    ...sections,
    "<h2>Results</h2>",
    rowTable(rows),
  ]);
  return [["report.html", html], ...figures];
}

/** Share of the groups whose CV is at most x, first seed. */
function cdfOf({ units }: SpreadPoint): Curve[] {
  return units.flatMap(({ unit, outcomes: [first] }): Curve[] => {
    if (first === undefined || first.cvs.length === 0) return [];
    const steps = Math.min(200, first.cvs.length);
    const dots = Array.from({ length: steps }, (_, i) => {
      const rank = Math.ceil(((i + 1) * first.cvs.length) / steps);
      return { x: first.cvs[rank - 1]!, y: rank / first.cvs.length };
    });
    return [{ scheme: unit.scheme, dots: [{ x: dots[0]!.x, y: 0 }, ...dots] }];
  });
}

function loadsOf(
  { units }: SpreadPoint,
  of: (outcome: SpreadOutcome) => readonly number[] | undefined,
): Curve[] {
  return units.flatMap(({ unit, outcomes: [first] }): Curve[] => {
    const loads = first && of(first);
    if (loads === undefined) return [];
    const sorted = [...loads].sort((a, b) => b - a);
    return [{ scheme: unit.scheme, dots: sorted.map((y, i) => ({ x: i + 1, y })) }];
  });
}
