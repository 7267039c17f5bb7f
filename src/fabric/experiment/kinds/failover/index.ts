/**
 * The kind `failover`: drawn flows, each hit by a failure on its path, and the time until its data get through again.
 * A unit is a scheme and a failure.
 */

import { given } from "../../../../base/index.js";
import { withSchemes } from "../../experiment.js";
import type { Kind } from "../kind.js";
import { eachSeed, onFabric } from "../runners.js";
import { checkFailover } from "./check.js";
import { type PathExample, type Row, rowOf, type Sample, type Series } from "./results.js";
import { type Experiment, experimentSchema, type FailoverFile, type FailoverUnit } from "./schema.js";
import { FAILOVER_VIEW } from "./view.js";

interface SeriesJson {
  readonly samples: readonly (Omit<Sample, "recoveryMs" | "rttMs"> & {
    readonly recoveryMs: number | null;
    readonly rttMs: number | null;
  })[];
  readonly example?: PathExample;
}

type Portable = NonNullable<Kind<FailoverFile, Experiment, FailoverUnit, Series, object>["portable"]>;

const PORTABLE_SERIES: Portable = {
  toJson: ({ samples, example }): SeriesJson => ({
    samples: samples.map((sample) => ({
      ...sample,
      recoveryMs: finiteOrNull(sample.recoveryMs),
      rttMs: finiteOrNull(sample.rttMs),
    })),
    ...given({ example }),
  }),
  fromJson: (json, { scheme, failure }) => {
    const { samples, example } = json as SeriesJson;
    return {
      scheme,
      failure,
      samples: samples.map((sample) => ({
        ...sample,
        recoveryMs: sample.recoveryMs ?? Number.POSITIVE_INFINITY,
        rttMs: sample.rttMs ?? Number.NaN,
      })),
      // JSON leaves out what is undefined.
      example:
        example === undefined
          ? undefined
          : {
              ...example,
              after: example.after,
              failedNode: example.failedNode,
              failedLink: example.failedLink,
            },
    };
  },
};

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

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
