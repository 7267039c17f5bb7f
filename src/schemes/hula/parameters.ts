/** The keys of HULA in an experiment file. */
import { z } from "zod";
import { positiveDurationSchema } from "../../topology/index.js";

export const hulaParameters = z.strictObject({
  /** From one probe of a ToR to the next; the paper's evaluation has 200 us. */
  probe_interval: positiveDurationSchema.refine((ns) => ns >= 1000, "expected 1us or more").prefault("200us"),
  /** Time constant of the utilisation; absent: two intervals, as the paper says. */
  tau: positiveDurationSchema.optional(),
  /** A best path of which no probe has come for longer gives way to any other one; absent: three intervals. */
  ageing: positiveDurationSchema.optional(),
  /** A pause of a flow that ends a flowlet. */
  flowlet_gap: positiveDurationSchema.prefault("500us"),
  /** Flowlets that a switch remembers. */
  flowlets: z
    .number()
    .int()
    .min(1)
    .max(2 ** 20)
    .default(4096),
});

export type HulaParameters = z.output<typeof hulaParameters>;
