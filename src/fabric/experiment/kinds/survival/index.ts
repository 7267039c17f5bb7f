/** The kind `survival`: how many connections lose all of their subflows in a failure, by the paths of the switches' own hashes. */
import { defined } from "../../../../base/index.js";
import { withSchemes } from "../../experiment.js";
import { rowTable, topologyPage } from "../../view/parts.js";
import type { View } from "../../view/view.js";
import type { Kind } from "../kind.js";
import { eachSeed, fromTopology } from "../registered-kind.js";
import {
  type Survival,
  type SurvivalSettings,
  type SurvivalUnit,
  survivalOf,
  survivalSchema,
} from "./check.js";
import type { SurvivalOutcome } from "./outcome.js";

// Table and page of the kind `survival`.

const SURVIVAL_VIEW: View<Survival, SurvivalUnit, SurvivalOutcome, SurvivalRow> = {
  columns: [
    { key: "failure", title: "failure" },
    { key: "sites", title: "N" },
    { key: "connections", title: "connections" },
    { key: "lost", title: "lost" },
    { key: "random_lost", title: "lost by chance" },
    { key: "lost_subflows_share", title: "subflows lost" },
  ],
  page(results) {
    const { settings } = defined(results.points[0]).experiment;
    const lead = `${settings.connections} connections; seeds ${results.seeds.join(", ")}.`;
    return topologyPage(results, lead, [{ heading: "Results", html: rowTable(results.rows) }]);
  },
};

export const SURVIVAL: Kind<SurvivalSettings, Survival, SurvivalUnit, SurvivalOutcome, SurvivalRow> = {
  name: "survival",
  keys: ["connections", "connection_subflows", "subflow_ports", "between"],
  schema: withSchemes(survivalSchema),
  check: survivalOf,
  units: ({ units }) => units,
  takesRuns: false,
  runner: fromTopology(async (experiment, unit, stage) =>
    (await import("./outcome.js")).runSurvival(experiment, unit, stage),
  ),
  rows: eachSeed(({ settings }, _unit, outcome) => survivalRows(settings, outcome)),
  notes: ({ topology, settings: { connections, connection_subflows, subflow_ports } }) => [
    `${topology.nodes.filter(({ role }) => role !== "host").length} switches; ${connections} connections of ${connection_subflows} subflows, ${subflow_ports === "own" ? "each with a client port of its own" : "all with one five-tuple"}, on the paths that the programs' own hash functions give them.`,
    "Each connection has one failed element on a path, which loses both directions; a subflow is lost if its data or its acknowledgements cross it. No subflow moves.",
    "N: equal elements that the client's paths choose from. Lost by chance: connections times ((2N - 1) / N^2)^K for K subflows (footnote 3 of P-ECMP).",
  ],
  view: SURVIVAL_VIEW,
};

// Rows of the kind `survival` with the closed form.

/** A row of `results.json`. */
type SurvivalRow = Readonly<Record<string, unknown>>;

/**
 * Share of the connections that lose all of K subflows, if each direction of each subflow crosses one of N equal elements at random
 * (P-ECMP, footnote 3): ((2N - 1) / N^2)^K.
 */
export function randomLoss(sites: number, subflows: number): number {
  return ((2 * sites - 1) / sites ** 2) ** subflows;
}

function survivalRows(
  { connections, connection_subflows: subflows }: SurvivalSettings,
  { failures }: SurvivalOutcome,
): SurvivalRow[] {
  return failures.map(({ failure, sites, lost, lostSubflows, left }) => ({
    failure,
    sites,
    connections,
    lost,
    lost_share: lost / connections,
    random_lost: sites === null ? null : Math.round(connections * randomLoss(sites, subflows) * 10) / 10,
    lost_subflows_share: Number((lostSubflows / (connections * subflows)).toPrecision(6)),
    ...Object.fromEntries(left.map((count, alive) => [`left_${alive}`, count])),
  }));
}
