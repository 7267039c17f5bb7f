/** The outcome of a unit of the kind `failover` as JSON. The time of a recovery that never comes is Infinity, which JSON writes as null. */
import { given } from "../../../../base/index.js";
import type { RunKind } from "../kind.js";
import type { PathExample, Sample, Series } from "./results.js";
import type { Experiment, FailoverFile } from "./schema.js";
import type { FailoverUnit } from "./unit.js";

interface SeriesJson {
  readonly samples: readonly (Omit<Sample, "recoveryMs"> & { readonly recoveryMs: number | null })[];
  readonly example?: PathExample;
}

type Portable = RunKind<FailoverFile, Experiment, FailoverUnit, Series, object, unknown>["portable"];

export const PORTABLE_SERIES: Portable = {
  toJson: ({ samples, example }): SeriesJson => ({
    samples: samples.map((sample) => ({
      ...sample,
      recoveryMs: sample.recoveryMs === Number.POSITIVE_INFINITY ? null : sample.recoveryMs,
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
