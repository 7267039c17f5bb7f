/** Parameters of RePaC. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../../base/packets/index.js";
import { hashParameters } from "../hash-settings.js";
import { timeText } from "../time-text.js";
import { FAILOVERS, RECEIVERS } from "./hosts.js";

const portSchema = z.number().int().min(1).max(65535);

export const repacParameters = z.strictObject({
  /** Header field of the control bits. */
  field: z.enum(SELECTOR_FIELDS).default("ttl"),
  /** Number of buckets of each group, a power of two; absent: 8, or the minimum for the largest group. */
  buckets: z.number().int().min(2).max(4096).optional(),
  /**
   * What the control bits must be able to do: `hops`, one change that moves every flow at every hop; `paths`, changes to all
   * paths; `any`: hosts use the changes that move the most hops.
   */
  reach: z.enum(["hops", "paths", "any"]).default("hops"),
  /** `marks`: algorithm 1. `none`: hosts do not change paths, and only switches remap buckets. */
  failover: z.enum(FAILOVERS).default("marks"),
  /** Whether the receiver of data marks its acknowledgements when the same data arrive for the third time. */
  receiver: z.enum(RECEIVERS).default("marks"),
  /** Time after its last mark when a flow returns to its first path; the paper uses the time that BGP needs to detect a failure. */
  marking_period: timeText.default("9s"),
  /** Time from the event of a port to the remapped buckets: 130 ms for the link scan of the paper's switches, 90 s for its LACP. */
  detection: timeText.default("130ms"),
  /** Source of the hosts' pathmap: the definition of the switches, or a controller that probes the running switches. */
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
