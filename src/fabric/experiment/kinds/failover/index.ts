/**
 * The kind `failover`: drawn flows, each hit by a failure on its path, and the time until its data get through again.
 * A unit is a scheme and a failure.
 */

import { withSchemes } from "../../experiment.js";
import { eachSeed, type Kind } from "../kind.js";
import { onFabric } from "../runners.js";
import { checkFailover } from "./check.js";
import { PORTABLE_SERIES } from "./portable.js";
import { type Row, rowOf, type Sample, type Series } from "./results.js";
import { type Experiment, experimentSchema, type FailoverFile } from "./schema.js";
import type { FailoverUnit } from "./unit.js";
import { FAILOVER_VIEW } from "./view.js";

export const FAILOVER: Kind<FailoverFile, Experiment, FailoverUnit, Series, Row> = {
  name: "failover",
  keys: ["failures", "runs", "failure_time", "give_up"],
  schema: withSchemes(experimentSchema),
  takesRuns: true,
  check: checkFailover,
  units: ({ schemes, failures }) =>
    schemes.flatMap((scheme) =>
      failures.map((failure) => ({ scheme, failure, name: failure.name, steps: scheme.runs })),
    ),
  runner: onFabric({
    async onSimulator(experiment, { scheme, failure }, { fabric, seed, plane, power, play, stepDone }) {
      const { FailoverRig } = await import("./rig.js");
      const rig = new FailoverRig(experiment, fabric, plane === undefined ? undefined : power);
      const samples: Sample[] = [];
      for (let run = 0; run < scheme.runs; run++) {
        samples.push(await play(rig.runSteps(failure, run, seed)));
        await stepDone();
      }
      return { scheme, failure, samples, example: await play(rig.showSteps(failure, scheme.runs, seed)) };
    },
    lab: async () => (await import("./on-lab.js")).FAILOVER_ON_LAB,
  }),
  rows: eachSeed((experiment, _unit, series, engine) => [rowOf(experiment, series, engine)]),
  portable: PORTABLE_SERIES,
  view: FAILOVER_VIEW,
  isOneRun: true,
};
