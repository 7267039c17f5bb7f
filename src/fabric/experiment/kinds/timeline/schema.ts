/** The experiment file of the kind `timeline`: given flows, and faults at given times. */
import { z } from "zod";
import { durationSchema, positiveDurationSchema } from "../../../topology/index.js";
import { DEFAULT_PORT } from "../../../traffic/index.js";
import { type Command, commandsSchema } from "../../commands.js";
import type { ControllerFault } from "../../control-plane-faults.js";
import { type Checked, fabricKeys, ipSchema, machineKeys, whole } from "../../experiment.js";
import type { Fault } from "../../faults/fault.js";
import { listedFaultSchema } from "../../faults/listed-faults.js";

const flowSchema = z.strictObject({
  /** Hosts, by name. */
  from: z.string(),
  to: z.string(),
  /** Number of flows; each has a client port of its own. */
  count: whole("a number of flows", 1, 10_000).default(1),
  start: durationSchema.default(0),
  /** Absent: it sends until the end. */
  bytes: whole("bytes", 1, 1e12).optional(),
  /** Port of the receiver. */
  port: whole("a port", 1, 65_535).default(DEFAULT_PORT),
});

/** Given flows, and faults at given times. */
export const timelineSchema = z.strictObject({
  kind: z.literal("timeline").optional(),
  ...fabricKeys,
  /** A list, or the path of a traffic file relative to the experiment file's folder. */
  flows: z.union([z.string().min(1), z.array(flowSchema).min(1)], {
    error: "expected a list of flows, or the path of a traffic file",
  }),
  faults: z.array(listedFaultSchema).default([]),
  commands: commandsSchema,
  /** From the start of the first flow to the end. */
  duration: positiveDurationSchema,
  traffic: z
    .strictObject({
      ip: ipSchema,
      /** Source of the flows on a testbed: the host agent, or iperf3. */
      generator: z.enum(["agent", "iperf3"]).default("agent"),
    })
    .prefault({}),
  ...machineKeys,
});

export type FlowSpec = z.output<typeof flowSchema>;
/** The file with defaults filled in. */
export type TimelineFile = z.output<typeof timelineSchema>;

/** Settings with the flows of a traffic file in the list. */
export type TimelineSettings = Omit<TimelineFile, "flows"> & {
  flows: readonly FlowSpec[];
};
/** Flows and faults as the file lists them. */
export type Timeline = Checked<TimelineSettings> & {
  /** In the order of the file. */
  readonly faults: readonly Fault[];
  /** In time order. */
  readonly controllerFaults: readonly ControllerFault[];
  /** In time order. */
  readonly commands: readonly Command[];
};
