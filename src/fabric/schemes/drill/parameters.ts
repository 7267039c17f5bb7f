/** The keys of DRILL in an experiment file. */
import { z } from "zod";

export const drillParameters = z.strictObject({
  /** d: next hops that each packet draws. */
  draws: z.number().int().min(1).max(8).default(2),
  /** m: whether the next hop of the last packet is looked at too. */
  memory: z.union([z.literal(0), z.literal(1)]).default(1),
  /** Whether the next hops of an asymmetric fabric are divided into components of symmetric paths; otherwise all are one. */
  decompose: z.boolean().default(true),
});

export type DrillParameters = z.output<typeof drillParameters>;
