/** The experiment file of the kind `load`: many flows that arrive by a workload, and their completion times. */
import { z } from "zod";
import { bytesSchema, durationSchema, positiveDurationSchema } from "../../../topology/index.js";
import { commandsSchema } from "../../commands.js";
import { type Checked, fabricKeys, machineKeys, transportSchema, whole } from "../../experiment.js";
import type { RunFaults } from "../../faults/during-run.js";
import { listedFaultSchema } from "../../faults/listed-faults.js";
import { DEFAULT_BOUNDS } from "./size-classes.js";
import type { TrafficPlan } from "./traffic-context.js";
import { loadSchema, trafficSchema } from "./traffic-schema.js";

export const loadFileSchema = z.strictObject({
  kind: z.literal("load").optional(),
  ...fabricKeys,
  /** Offered payload as a share of the capacity that `traffic.load_of` names; absent for traffic with a rate of its own. */
  load: loadSchema.optional(),
  traffic: trafficSchema,
  /** Time from the start in which flows, links and queues are not measured. */
  warm_up: durationSchema.default(0),
  /** Time after the last arrival: flows that have not ended by then count as unfinished. */
  drain: durationSchema.default(1_000_000_000),
  /** Bounds of the size classes: the largest small flow, the smallest large one. */
  sizes: z
    .strictObject({
      small: bytesSchema.default(DEFAULT_BOUNDS.small),
      large: bytesSchema.default(DEFAULT_BOUNDS.large),
    })
    .prefault({}),
  faults: z.array(listedFaultSchema).default([]),
  commands: commandsSchema,
  /** `flows`: `flows.jsonl` has a line for each measured flow. */
  record: z.literal("flows").optional(),
  /** Maximum number of lines for each unit. */
  record_limit: whole("a number of lines", 1, 10_000_000).default(100_000),
  /** Length of a bin of `series.csv`, which has the packets sent, lost and delivered over time. */
  series: positiveDurationSchema.optional(),
  /** `windows.csv`: congestion windows and round trips of certain flows, by their numbers, at equal intervals. */
  windows: z
    .strictObject({
      flows: z
        .array(whole("the number of a flow", 0, 1e9))
        .min(1)
        .max(1000),
      interval: positiveDurationSchema.default(1_000_000),
    })
    .optional(),
  ...machineKeys,
  transport: transportSchema({ protocol: "tcp", handshake: true }),
});

/** The file with defaults filled in. */
export type LoadSettings = z.output<typeof loadFileSchema>;

export type Load = Checked<LoadSettings> &
  RunFaults & {
    readonly traffic: TrafficPlan;
  };
