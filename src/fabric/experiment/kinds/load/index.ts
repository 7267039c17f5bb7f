/** The kind `load`: flows that arrive by a workload, and their completion times. A unit is a scheme. */
import type { Fault } from "../../faults/fault.js";
import type { SweepKind, Unit } from "../kind.js";
import { loadOf } from "./check.js";
import type { LoadFigures } from "./load-figures.js";
import { loadNotes } from "./notes.js";
import type { LoadOutcome } from "./outcome.js";
import { type LoadRow, loadRows } from "./rows.js";
import { type Load, type LoadSettings, loadFileSchema } from "./schema.js";
import { loadOfAll, transientWarnings } from "./transient.js";
import { LOAD_VIEW } from "./view.js";

export const LOAD: SweepKind<LoadSettings, Load, Unit, LoadOutcome, LoadRow, ReadonlyMap<Fault, number>> = {
  name: "load",
  keys: ["load", "warm_up", "drain", "record", "series", "sizes"],
  schema: loadFileSchema,
  takesRuns: false,
  check: loadOf,
  units: ({ schemes }) => schemes.map((scheme) => ({ scheme, name: "load", steps: 1 })),
  async onSimulator(experiment, { scheme }, stage) {
    const { loadInSimulator } = await import("./on-simulator.js");
    const figures = await loadInSimulator(experiment, scheme, stage);
    await stage.stepDone();
    return { scheme, ...figures };
  },
  lab: async () => (await import("./on-lab.js")).LOAD_ON_LAB,
  // only the scheme needs a conversion
  portable: {
    toJson: ({ scheme: _, ...figures }): LoadFigures => figures,
    fromJson: (json, { scheme }) => ({ scheme, ...(json as LoadFigures) }),
  },
  dependsOn: ({ traffic }) => traffic.files,
  rowsOfSeeds: ({ settings }, _unit, outcomes) => loadRows(outcomes, loadOfAll(settings)),
  notes: loadNotes,
  warnings: transientWarnings,
  view: LOAD_VIEW,
};
