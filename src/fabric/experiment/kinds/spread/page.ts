/** The page of a spread experiment, and its figures as files. The page loads no other file. */
import { escapeMarkup, htmlPage } from "../../../../base/index.js";
import { rowsCsv } from "../../csv.js";
import { flatten, inline } from "../../page.js";
import { loadPlot } from "../../plot.js";
import type { SweepResults } from "../kind.js";
import { linesFigure } from "../load/figures/lines.js";
import { lineOf } from "../load/figures/style.js";
import { PAGE_STYLE } from "../load/page-style.js";
import { rowTable } from "../row-table.js";
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
  const { settings, source } = sweep.points[0]!.experiment;
  const title = settings.title ?? settings.name;
  const rows = sweep.points.flatMap(({ units }) => units.flatMap((unit) => unit.rows));
  const html = htmlPage(title, PAGE_STYLE, [
    "<main>",
    `<h1>${escapeMarkup(title)}</h1>`,
    `<p class="lead">${settings.trace_flows} flows traced under ${schemes.length} schemes; seeds ${sweep.seeds.join(", ")}.</p>`,
    ...sweep.warnings.map((text) => `<p class="note"><strong>Warning: ${escapeMarkup(text)}</strong></p>`),
    ...sweep.notes.map((text) => `<p class="note">${escapeMarkup(text)}</p>`),
    legend(schemes),
    ...sections,
    "<h2>Results</h2>",
    rowTable(rows),
    "<h2>Parameters</h2>",
    `<p class="note">${escapeMarkup(flatten(settings.topology).join(", "))}</p>`,
    `<details><summary>Experiment file</summary><pre>${escapeMarkup(source.text)}</pre></details>`,
    `<details><summary>Results as CSV</summary><pre>${escapeMarkup(rowsCsv(rows))}</pre></details>`,
    "</main>",
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

function legend(schemes: readonly string[]): string {
  const entries = schemes.map((scheme, place) => {
    const { colour, dash } = lineOf(place);
    const stroke = `stroke="${colour}" stroke-width="3"${dash === undefined ? "" : ` stroke-dasharray="${dash}"`}`;
    return `<span><svg width="26" height="8" aria-hidden="true"><path d="M0 4h26" ${stroke}></path></svg>${escapeMarkup(scheme)}</span>`;
  });
  return `<div class="legend">${entries.join("")}</div>`;
}
