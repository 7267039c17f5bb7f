/** Parameters of RePaC. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../hosts/index.js";
import { hashParameters } from "../hash-settings.js";
import { timeText } from "../time-text.js";
import { FAILOVERS, RECEIVERS } from "./hosts.js";

const portSchema = z.number().int().min(1).max(65535);

export const repacParameters = z.strictObject({
  /** Header field of the control bits. */
  field: z.enum(SELECTOR_FIELDS).default("ttl"),
  /** Buckets of each group, a power of two; absent: 8, or the least that the largest group needs. */
  buckets: z.number().int().min(2).max(4096).optional(),
  /**
   * What the control bits must be able to do: `hops`, one change that moves every flow at every hop; `paths`, changes to all
   * paths; `any`: hosts use what moves most hops.
   */
  reach: z.enum(["hops", "paths", "any"]).default("hops"),
  /** `marks`: algorithm 1. `none`: hosts stay on their paths, and only switches remap buckets. */
  failover: z.enum(FAILOVERS).default("marks"),
  /** Whether the receiver of data marks its acknowledgements when the same data come for the third time. */
  receiver: z.enum(RECEIVERS).default("marks"),
  /** So long after its last mark a flow goes back to its first path; the paper takes the time that BGP needs to notice a failure. */
  marking_period: timeText.default("9s"),
  /** From the news of a port to the remapped buckets: 130 ms are the link scan of the paper's switches, 90 s its LACP. */
  detection: timeText.default("130ms"),
  /** Where hosts have the pathmap from: the definition of the switches, or a controller that probes the switches that run. */
  pathmap: z.enum(["computed", "probed"]).default("computed"),
  /** Whether flows that are known in advance get their paths before they open (algorithm 2). */
  planning: z.boolean().default(false),
  /** Low bits of the source port that the planner chooses. */
  port_bits: z.number().int().min(1).max(12).default(6),
  /** Source ports of planned flows; the default is above those that hosts draw for other flows. */
  port_ranges: z
    .array(z.tuple([portSchema, portSchema]))
    .min(1)
    .default([[61440, 65535]]),
  ...hashParameters,
});

export type RepacParameters = z.output<typeof repacParameters>;
