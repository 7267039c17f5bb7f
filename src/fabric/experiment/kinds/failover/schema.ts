/** The experiment file of the kind `failover`: drawn flows, each hit by a failure on its path. */
import { z } from "zod";
import { durationSchema, positiveDurationSchema } from "../../../topology/index.js";
import type { PairPattern } from "../../../traffic/index.js";
import { type Checked, fabricKeys, ipSchema, machineKeys, runsSchema } from "../../experiment.js";
import type { SchemeUnit } from "../kind.js";
import { type DrawnFailure, drawnFailureSchema } from "./failures.js";

export const experimentSchema = z.strictObject({
  kind: z.literal("failover").optional(),
  ...fabricKeys,
  failures: z.array(drawnFailureSchema).min(1),
  /** Runs of each scheme under each failure; a run is one flow that the failure hits. */
  runs: runsSchema,
  /** From the start of the flow to the failure. */
  failure_time: durationSchema.default(10_000_000),
  /** Length of a run after a failure that lets packets pass: timeouts are counted in this time. */
  observation: positiveDurationSchema.default(3_000_000_000),
  /** A flow that has not recovered this long after the failure counts as never recovered. */
  give_up: durationSchema.default(60_000_000_000),
  traffic: z
    .strictObject({
      /** Pairs of hosts that flows run between; by default those that are farthest apart in this topology. */
      pairs: z.enum(["any", "inter_rack", "inter_pod"]).optional(),
      ip: ipSchema,
    })
    .prefault({}),
  ...machineKeys,
});

/** The file with defaults filled in. */
export type FailoverFile = z.output<typeof experimentSchema>;

/** Settings with `traffic.pairs` set; where the file has none, the topology determines it. */
export type ExperimentSettings = Omit<FailoverFile, "traffic"> & {
  traffic: { pairs: PairPattern; ip: 4 | 6 };
};

/** Drawn flows, each hit by a failure on its path. */
export type Experiment = Checked<ExperimentSettings> & {
  /** In the order of the file. */
  readonly failures: readonly DrawnFailure[];
};

export interface FailoverUnit extends SchemeUnit {
  readonly failure: DrawnFailure;
}
