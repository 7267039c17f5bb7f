/** The keys of HULA in an experiment file. */
import { z } from "zod";
import { positiveDurationSchema } from "../../topology/index.js";
import { registerTime } from "../register-time.js";

/** Width of v1model's clock, and of the times in the programs. */
const CLOCK_BITS = 48;

/** The program has 30 bits after the point of 1/tau: above 20 s their error exceeds 1 %. */
export const LONGEST_TAU = 20e9;
const estimatorTime = positiveDurationSchema.refine(
  (ns) => ns >= 1000 && ns <= LONGEST_TAU,
  "expected a time from 1us to 20s",
);

export const hulaParameters = z.strictObject({
  /** Time between two probes of a ToR; the paper's evaluation has 200 us. */
  probe_interval: registerTime(CLOCK_BITS).prefault("200us"),
  /** Time constant of the utilisation; absent: two intervals, as in the paper. */
  tau: estimatorTime.optional(),
  /** Time after which a best path without a new probe is replaced by any other one; absent: three intervals. */
  ageing: registerTime(CLOCK_BITS).optional(),
  /** Pause of a flow that ends a flowlet. */
  flowlet_gap: registerTime(CLOCK_BITS).prefault("500us"),
  /** Number of flowlets that a switch stores. */
  flowlets: z
    .number()
    .int()
    .min(1)
    .max(2 ** 20)
    .default(4096),
});

export type HulaParameters = z.output<typeof hulaParameters>;
