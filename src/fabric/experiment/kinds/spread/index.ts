/** The kind `spread`: how evenly schemes spread flows over groups and links, by their own hash functions, without packets. */

import { defined } from "../../../../base/index.js";
import { quantile } from "../../../statistics/index.js";
import { withSchemes } from "../../experiment.js";
import {
  decimals,
  type PointChart,
  pointPanels,
  rowTable,
  schemeLegend,
  topologyPage,
} from "../../view/parts.js";
import type { Dot, View } from "../../view/view.js";
import type { Kind } from "../kind.js";
import { eachSeed, fromTopology } from "../registered-kind.js";
import { type Spread, type SpreadSettings, type SpreadUnit, spreadOf, spreadSchema } from "./check.js";
import { ratio, type SpreadOutcome } from "./outcome.js";

// Table, page and figures of the kind `spread`.

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

const SPREAD_VIEW: View<Spread, SpreadUnit, SpreadOutcome, SpreadRow> = {
  columns: COLUMNS.map(([key, title]) => ({ key, title, format: decimals(3), optional: true })),
  page(results) {
    const { settings } = defined(results.points[0]).experiment;
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
    return { x: defined(cvs[rank - 1]), y: rank / cvs.length };
  });
  return [{ x: defined(dots[0]).x, y: 0 }, ...dots];
}

/** The loads from the greatest to the least. */
function ranked(loads: readonly number[] | undefined): Dot[] | undefined {
  return loads && [...loads].sort((a, b) => b - a).map((y, i) => ({ x: i + 1, y }));
}

export const SPREAD: Kind<SpreadSettings, Spread, SpreadUnit, SpreadOutcome, SpreadRow> = {
  name: "spread",
  keys: ["trace_flows", "least_flows"],
  schema: withSchemes(spreadSchema),
  check: spreadOf,
  units: ({ units }) => units,
  takesRuns: false,
  runner: fromTopology(async (experiment, unit, stage) =>
    (await import("./outcome.js")).runSpread(experiment, unit, stage),
  ),
  rows: eachSeed((_experiment, _unit, outcome) => [spreadRow(outcome)]),
  notes: ({ units, topology, settings: { trace_flows } }) => [
    `${topology.nodes.filter(({ role }) => role !== "host").length} switches, ${topology.links.filter(({ a }) => defined(topology.nodes[a.node]).role !== "host").length} links between them; ${trace_flows} flows on the paths that the programs' own hash functions give them.`,
    "CV: standard deviation over mean of the loads of a group's ports, each divided by its intended load; chance: the CV to expect of random choices of as many flows, for the median group and for the group with the highest expectation; the largest CV of many random groups is above it.",
    ...new Set(
      units.flatMap(({ scheme: { label, plan } }) => (plan.notes ?? []).map((note) => `${label}: ${note}`)),
    ),
  ],
  view: SPREAD_VIEW,
};

// Rows of the kind `spread`.

/** A row of `results.json`. */
type SpreadRow = Readonly<Record<string, unknown>>;

function spreadRow({ lost, cvs, noise, worst, pods }: SpreadOutcome): SpreadRow {
  const digits = (value: number | undefined) => (value === undefined ? null : Number(value.toPrecision(6)));
  const at = (share: number) => (cvs.length === 0 ? undefined : quantile(cvs, share));
  return {
    groups: cvs.length,
    cv_p50: digits(at(0.5)),
    cv_p90: digits(at(0.9)),
    cv_max: digits(cvs.at(-1)),
    groups_above_01: cvs.filter((cv) => cv > 0.1).length,
    chance_p50: digits(noise.length === 0 ? undefined : quantile(noise, 0.5)),
    chance_max: digits(noise.at(-1)),
    worst_switch: worst?.node ?? null,
    worst_slots: worst?.slots ?? null,
    // A link without any load: JSON has no infinity.
    pods_max_over_min: pods === undefined || Math.min(...pods) === 0 ? null : digits(ratio(pods)),
    lost,
  };
}
