/** The kind `survival`: how many connections lose all of their subflows in a failure, by the paths of the switches' own hashes. */
import { withSchemes } from "../../experiment.js";
import type { Kind } from "../kind.js";
import { eachSeed, fromTopology } from "../registered-kind.js";
import { type Survival, type SurvivalUnit, survivalOf } from "./check.js";
import type { SurvivalOutcome } from "./outcome.js";
import { type SurvivalRow, survivalRows } from "./rows.js";
import { type SurvivalSettings, survivalSchema } from "./schema.js";
import { SURVIVAL_VIEW } from "./view.js";

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
