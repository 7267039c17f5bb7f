/** The experiment file of the kind `failover`: flows that are drawn, each hit by a failure on its way. */
import { z } from "zod";
import { durationSchema, positiveDurationSchema } from "../../../topology/index.js";
import type { PairPattern } from "../../../traffic/index.js";
import { type Checked, fabricKeys, ipSchema, machineKeys, runsSchema } from "../../experiment.js";
import { type DrawnFailure, drawnFailureSchema } from "../../faults/drawn-failures.js";

export const experimentSchema = z.strictObject({
  kind: z.literal("failover").optional(),
  ...fabricKeys,
  failures: z.array(drawnFailureSchema).min(1),
  /** Runs of each scheme under each failure; a run is one flow that the failure hits. */
  runs: runsSchema,
  /** From the start of the flow to the failure. */
  failure_time: durationSchema.default(10_000_000),
  /** From a failure that lets packets pass to the end of its run: so long timeouts are counted. */
  observation: positiveDurationSchema.default(3_000_000_000),
  /** A flow that has not recovered this long after the failure counts as one that never does. */
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

/** The file as it is written, with defaults. */
export type FailoverFile = z.output<typeof experimentSchema>;

/** With the pairs that the topology determines where the file names none. */
export type ExperimentSettings = Omit<FailoverFile, "traffic"> & {
  traffic: { pairs: PairPattern; ip: 4 | 6 };
};

/** Flows that are drawn, each hit by a failure on its way. */
export type Experiment = Checked<ExperimentSettings> & {
  /** In the order of the file. */
  readonly failures: readonly DrawnFailure[];
};
