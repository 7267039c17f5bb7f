/** The kind `localise`: how many probes name the element that loses packets, with exact next hops and with random probes. */
import { withSchemes } from "../../experiment.js";
import type { Kind } from "../kind.js";
import { eachSeed, fromTopology } from "../registered-kind.js";
import { type Localise, type LocaliseUnit, localiseOf, namesNextHops } from "./check.js";
import type { LocaliseOutcome } from "./outcome.js";
import { type LocaliseRow, localiseRow } from "./rows.js";
import { type LocaliseSettings, localiseSchema } from "./schema.js";
import { LOCALISE_VIEW } from "./view.js";

export const LOCALISE: Kind<LocaliseSettings, Localise, LocaliseUnit, LocaliseOutcome, LocaliseRow> = {
  name: "localise",
  keys: ["probe_interval", "most_probes"],
  schema: withSchemes(localiseSchema),
  check: localiseOf,
  units: ({ units }) => units,
  takesRuns: false,
  runner: fromTopology(async (experiment, unit, stage) =>
    (await import("./outcome.js")).runLocalise(experiment, unit, stage),
  ),
  rows: eachSeed((experiment, unit, outcome) => [localiseRow(experiment, unit, outcome)]),
  notes: ({ units, topology, settings }) => {
    const runs = [...new Set(units.map(({ scheme }) => scheme))];
    const exact = (run: (typeof runs)[number]) =>
      namesNextHops(topology, run)
        ? `${run.label}: probes go where selectors lead them, over covers of all links between switches and then through suspects.`
        : `${run.label}: probes go between random hosts with random ports; their paths are known, which for an operator requires the hash functions.`;
    return [
      `${topology.nodes.filter(({ role }) => role !== "host").length} switches, without packets: paths follow the programs' own hash functions, and each element loses its share of the probes that cross it; naming an element needs a confidence of ${settings.confidence}.`,
      ...runs.map(exact),
    ];
  },
  view: LOCALISE_VIEW,
};
