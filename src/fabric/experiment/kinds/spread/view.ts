/** Table, page and figures of the kind `spread`. */
import {
  decimals,
  type PointChart,
  pointPanels,
  rowTable,
  schemeLegend,
  topologyPage,
} from "../../view/parts.js";
import type { Dot, View } from "../../view/view.js";
import type { Spread, SpreadUnit } from "./check.js";
import type { SpreadOutcome } from "./outcome.js";
import type { SpreadRow } from "./rows.js";

const COLUMNS: readonly (readonly [key: string, title: string])[] = [
  ["groups", "groups"],
  ["cv_p50", "CV p50"],
  ["cv_p90", "p90"],
  ["cv_max", "max"],
  ["groups_above_01", "CV > 0.1"],
  ["chance_p50", "chance p50"],
  ["chance_max", "max"],
  ["worst_switch", "worst at"],
  ["worst_slots", "slots"],
  ["pods_max_over_min", "pods max/min"],
  ["lost", "lost"],
];

const CHARTS: readonly PointChart<Spread, SpreadUnit, SpreadOutcome, SpreadRow>[] = [
  { file: "cdf", labels: ["CV of a group", "share of the groups"], dots: ({ cvs }) => cdfOf(cvs) },
  {
    file: "group",
    labels: ["port of the least even group, by load", "load over its mean"],
    dots: ({ worst }) => ranked(worst?.loads),
  },
  {
    file: "pods",
    labels: ["link between two pods, by load", "load over its mean"],
    dots: ({ pods }) => ranked(pods),
  },
];

export const SPREAD_VIEW: View<Spread, SpreadUnit, SpreadOutcome, SpreadRow> = {
  columns: COLUMNS.map(([key, title]) => ({ key, title, format: decimals(3), optional: true })),
  page(results) {
    const { settings } = results.points[0]!.experiment;
    const legend = schemeLegend(results);
    const lead = `${settings.trace_flows} flows traced under ${legend.length} schemes; seeds ${results.seeds.join(", ")}.`;
    return topologyPage(results, lead, [
      { legend },
      ...pointPanels(results, CHARTS, "Groups and links").map(({ name, figures }) => ({
        heading: name,
        runIn: true,
        panels: { figures },
      })),
      { heading: "Results", html: rowTable(results.rows) },
    ]);
  },
};

/** Share of the groups whose CV is at most x. */
function cdfOf(cvs: readonly number[]): Dot[] | undefined {
  if (cvs.length === 0) return undefined;
  const steps = Math.min(200, cvs.length);
  const dots = Array.from({ length: steps }, (_, i) => {
    const rank = Math.ceil(((i + 1) * cvs.length) / steps);
    return { x: cvs[rank - 1]!, y: rank / cvs.length };
  });
  return [{ x: dots[0]!.x, y: 0 }, ...dots];
}

/** The loads from the greatest to the least. */
function ranked(loads: readonly number[] | undefined): Dot[] | undefined {
  return loads && [...loads].sort((a, b) => b - a).map((y, i) => ({ x: i + 1, y }));
}
