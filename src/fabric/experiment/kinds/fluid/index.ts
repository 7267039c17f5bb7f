/** The kind `fluid`: rates of flows over the paths of schemes, without packets. A unit is a scheme. */
import { onlySchemes } from "../../experiment.js";
import type { Kind } from "../kind.js";
import { eachSeed, fromTopology } from "../registered-kind.js";
import { type Fluid, type FluidRun, fluidOf } from "./check.js";
import type { FluidOutcome } from "./outcome.js";
import { type FluidRow, fluidRow } from "./rows.js";
import { type FluidSettings, fluidFileSchema } from "./schema.js";
import { FLUID_VIEW } from "./view.js";

export const FLUID: Kind<FluidSettings, Fluid, FluidRun, FluidOutcome, FluidRow> = {
  name: "fluid",
  keys: ["epoch", "bundles", "rates"],
  schema: onlySchemes(fluidFileSchema),
  check: fluidOf,
  units: ({ runs }) => runs,
  takesRuns: false,
  runner: fromTopology(async (experiment, unit, stage) =>
    (await import("./outcome.js")).runFluid(experiment, unit, stage),
  ),
  rows: eachSeed(({ changes }, { scheme }, outcome) => [fluidRow(scheme.label, outcome, changes.length > 0)]),
  dependsOn: (_experiment, { dependsOn }) => dependsOn,
  notes: ({ settings: { bundles, epoch, step = epoch } }) => [
    `Rates of flows without packets: rates are constant in steps of ${step / 1e6} ms, and completion times are exact to a step.`,
    ...(bundles === undefined
      ? []
      : [
          `The flows of two racks share ${bundles} bundles with one path each; the limits of NICs are the rate of one NIC and the sum of a rack.`,
        ]),
  ],
  view: FLUID_VIEW,
};
