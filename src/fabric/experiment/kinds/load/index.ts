/** The kind `load`: flows that arrive by a workload, and their completion times. A unit is a scheme. */
import { withSchemes } from "../../experiment.js";
import type { Kind, SchemeUnit } from "../kind.js";
import { onFabric } from "../registered-kind.js";
import { loadOf } from "./check.js";
import type { LoadFigures, LoadOutcome } from "./load-figures.js";
import { loadNotes } from "./notes.js";
import { type LoadRow, loadRows } from "./rows.js";
import { type Load, type LoadSettings, loadFileSchema } from "./schema.js";
import { loadOfAll, transientWarnings } from "./transient.js";
import { LOAD_VIEW } from "./view.js";

export const LOAD: Kind<LoadSettings, Load, SchemeUnit, LoadOutcome, LoadRow> = {
  name: "load",
  keys: ["load", "warm_up", "drain", "record", "series", "sizes"],
  schema: withSchemes(loadFileSchema),
  takesRuns: false,
  check: loadOf,
  units: ({ schemes }) => schemes.map((scheme) => ({ scheme, name: "load", steps: 1 })),
  runner: onFabric({
    async onSimulator(experiment, { scheme }, stage) {
      const { loadInSimulator } = await import("./on-simulator.js");
      const figures = await loadInSimulator(experiment, scheme, stage);
      await stage.stepDone();
      return { scheme, ...figures };
    },
    lab: async () => (await import("./on-lab.js")).LOAD_ON_LAB,
  }),
  // only the scheme needs a conversion
  portable: {
    toJson: ({ scheme: _, ...figures }): LoadFigures => figures,
    fromJson: (json, { scheme }) => ({ scheme, ...(json as LoadFigures) }),
  },
  dependsOn: ({ traffic }) => traffic.files,
  rows: ({ settings }, _unit, outcomes) => loadRows(outcomes, loadOfAll(settings)),
  unitNotes: loadNotes,
  warnings: transientWarnings,
  view: LOAD_VIEW,
};
