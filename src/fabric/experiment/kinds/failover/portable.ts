/**
 * The outcome of a unit of the kind `failover` as JSON, which writes as null what is no finite number: the time of a recovery that never
 * comes, and a round-trip time that the kernel of a testbed does not report.
 */
import { given } from "../../../../base/index.js";
import type { Kind } from "../kind.js";
import type { PathExample, Sample, Series } from "./results.js";
import type { Experiment, FailoverFile } from "./schema.js";
import type { FailoverUnit } from "./unit.js";

interface SeriesJson {
  readonly samples: readonly (Omit<Sample, "recoveryMs" | "rttMs"> & {
    readonly recoveryMs: number | null;
    readonly rttMs: number | null;
  })[];
  readonly example?: PathExample;
}

type Portable = NonNullable<Kind<FailoverFile, Experiment, FailoverUnit, Series, object>["portable"]>;

export const PORTABLE_SERIES: Portable = {
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
