/** The keys of HULA in an experiment file. */
import { z } from "zod";
import { positiveDurationSchema } from "../../topology/index.js";

export const hulaParameters = z.strictObject({
  /** Time between two probes of a ToR; the paper's evaluation has 200 us. */
  probe_interval: positiveDurationSchema.refine((ns) => ns >= 1000, "expected 1us or more").prefault("200us"),
  /** Time constant of the utilisation; absent: two intervals, as in the paper. */
  tau: positiveDurationSchema.optional(),
  /** Time after which a best path without a new probe is replaced by any other one; absent: three intervals. */
  ageing: positiveDurationSchema.optional(),
  /** Pause of a flow that ends a flowlet. */
  flowlet_gap: positiveDurationSchema.prefault("500us"),
  /** Number of flowlets that a switch stores. */
  flowlets: z
    .number()
    .int()
    .min(1)
    .max(2 ** 20)
    .default(4096),
});

export type HulaParameters = z.output<typeof hulaParameters>;
