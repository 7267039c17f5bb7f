/** The keys of CONGA in an experiment file; section 3.6 of the paper has its defaults, except that of `alpha`. */
import { z } from "zod";
import { fail, type Locate } from "../../../base/index.js";
import { positiveDurationSchema } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { flowletPlaces } from "../flowlet-places.js";
import { hashParameters } from "../hash-settings.js";
import { registerTime } from "../register-time.js";

/** Width of v1model's clock, and of the times in the programs. */
const CLOCK_BITS = 48;

export const congaParameters = z.strictObject({
  /** Q: bits of a congestion metric. */
  bits: z.number().int().min(1).max(6).default(3),
  /** Time constant of the estimator of a link's use: its period over `alpha`. */
  tau: positiveDurationSchema
    .refine((ns) => ns >= 1000 && ns <= 20e9, "expected a time from 1us to 20s")
    .prefault("160us"),
  /** Share of the estimator that each period takes away. */
  alpha: z
    .number()
    .min(1 / 64)
    .max(0.5)
    .default(0.125),
  /** T_fl: pause of a flow that ends a flowlet. */
  flowlet_gap: registerTime(CLOCK_BITS).prefault("500us"),
  /** Time after which a metric that was not heard of again loses half of its value. */
  ageing: registerTime(CLOCK_BITS - 3).prefault("10ms"),
  /** Number of flowlets that a switch stores. */
  flowlets: flowletPlaces,
  ...hashParameters,
});

export type CongaParameters = z.output<typeof congaParameters>;

/**
 * The period of the estimator in microseconds, alpha times tau. Fails with P45110 where it is not whole: the clock of the programs counts
 * microseconds, and a rounded period would be another tau.
 */
export function periodOf({ tau, alpha }: CongaParameters, locate: Locate): number {
  const exact = (alpha * tau) / 1000;
  const period = Math.max(1, Math.round(exact));
  if (Math.abs(exact - period) < 1e-6 * period) return period;
  fail(
    CODES.estimatorPeriod,
    locate(["tau"]) ?? locate(["alpha"]) ?? locate([]),
    `tau, ${tau / 1000} us, times alpha, ${alpha}, is an estimator's period of ${Number(exact.toPrecision(6))} us, and the programs' clock counts whole microseconds`,
    `write tau: ${Number((period / alpha).toPrecision(6))}us, or another alpha`,
  );
}
