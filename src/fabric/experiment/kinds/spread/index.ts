/** The kind `spread`: how evenly schemes spread flows over groups and links, by their own hash functions, without packets. */
import { withSchemes } from "../../experiment.js";
import type { Kind } from "../kind.js";
import { eachSeed, fromTopology } from "../registered-kind.js";
import { type Spread, type SpreadUnit, spreadOf } from "./check.js";
import type { SpreadOutcome } from "./outcome.js";
import { type SpreadRow, spreadRow } from "./rows.js";
import { type SpreadSettings, spreadSchema } from "./schema.js";
import { SPREAD_VIEW } from "./view.js";

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
    `${topology.nodes.filter(({ role }) => role !== "host").length} switches, ${topology.links.filter(({ a }) => topology.nodes[a.node]!.role !== "host").length} links between them; ${trace_flows} flows on the paths that the programs' own hash functions give them.`,
    "CV: standard deviation over mean of the loads of a group's ports, each divided by its intended load; chance: the CV to expect of random choices of as many flows, for the median group and for the group with the highest expectation; the largest CV of many random groups is above it.",
    ...new Set(
      units.flatMap(({ scheme: { label, plan } }) => (plan.notes ?? []).map((note) => `${label}: ${note}`)),
    ),
  ],
  view: SPREAD_VIEW,
};
