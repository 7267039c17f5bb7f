/** Parameters of P4TE. The defaults are those of the paper's evaluation (section 7) and of the authors' programs. */
import { z } from "zod";
import { bytesSchema, positiveDurationSchema } from "../../topology/index.js";
import { hashParameters } from "../hash-settings.js";
import { registerTime } from "../register-time.js";

/** A class of flows. Hosts write its DSCP into the packets of its flows. */
const classSchema = z.strictObject({
  dscp: z.number().int().min(1, "expected a DSCP from 1 to 15").max(15, "expected a DSCP from 1 to 15"),
  /** Safe rate: share of the rate of the link by which its packets arrive (section 6.1.3). */
  share: z.number().gt(0, "expected a share above 0").max(1, "expected a share of at most 1"),
  /** `queue`: its flows prefer a short queue, as short flows do; `utilization`: a low rate, as large flows do. */
  path: z.enum(["queue", "utilization"]),
  /** Size of its largest flows in bytes; absent in the last class. */
  up_to: bytesSchema.optional(),
});

/** Share of a link's rate. */
const rateShare = z.number().gt(0, "expected a share of the rate above 0").max(2, "expected at most 2");

const shift = z
  .number()
  .int()
  .min(1, "expected a shift from 1 to 15")
  .max(15, "expected a shift from 1 to 15");

export const p4teParameters = z
  .strictObject({
    /** A flow belongs to the first class whose `up_to` is at least its size. */
    classes: z
      .array(classSchema)
      .min(1, "expected at least one class")
      .default([
        { dscp: 2, share: 0.9, path: "queue", up_to: 1_000_000 },
        { dscp: 4, share: 0.1, path: "utilization" },
      ]),
    /** Minimum difference, in packets, from the queue depth that was reported last. */
    delta: z.number().int().min(1).max(0x3ffff).default(2),
    /** Routing groups by queue depth: ranges of `delta` packets, the last one without an end. */
    queue_groups: z.number().int().min(1).max(800).default(4),
    /** Committed and peak rate of the meters of links (fig. 5: 0.75 and 0.95). */
    cir: rateShare.default(0.9),
    pir: rateShare.default(1),
    /** Burst sizes of all meters, as the time in which the link carries this amount; at least a full packet. */
    burst: positiveDurationSchema.default(50_000_000),
    /** Unit of a meter; `auto`: packets where all links of the switch have a rate in packets, otherwise bytes. */
    meter: z.enum(["auto", "bytes", "packets"]).default("auto"),
    /** Pause of a flow that ends a flowlet. Switches compare it with differences of 32 bits, in microseconds. */
    flowlet_gap: registerTime(32).default(40_000_000),
    /** Number of flow entries in each array of a switch. */
    flow_entries: z
      .number()
      .int()
      .min(1)
      .max(2 ** 24)
      .default(8192),
    rate_control: z.boolean().default(true),
    /** B, in bytes: the minimum distance between two rate controls of a flow. */
    rate_window: bytesSchema.default(5000),
    /** The window is reduced by division by 2^decrease. */
    decrease: shift.default(1),
    /** The window is increased by its 2^increase-th part. */
    increase: shift.default(2),
    /** A FACK does not reduce the window below this value, in units of the field; smaller windows do not change. */
    least_window: z.number().int().min(0).max(0xfff).default(16),
    /** The leaf keeps a smaller window in later acknowledgements, for `rate_window` bytes. */
    hold_window: z.boolean().default(true),
    /**
     * How the choice of paths gets the colour of a port: by a recirculated copy of the packet (section 4.1.2), or from the switch's
     * controller, for chips that cannot recirculate a copy from egress.
     */
    feedback: z.enum(["recirculation", "controller"]).default("recirculation"),
    /**
     * Time after which algorithm 2 forgets the colour of a port that no packet has crossed. Absent: the time in which the meters of
     * the slowest link refill, after which they would mark the next packet green themselves. `never`: the paper's rule.
     */
    colour_age: z
      .union([z.literal("never"), registerTime(32)], { error: "expected a time from 1us to 4294s, or never" })
      .optional(),
    /** Copies lose their payload. Otherwise the payload follows a FACK, and the IP header's length excludes it. */
    truncate: z.boolean().default(true),
    ...hashParameters,
  })
  .superRefine((parameters, context) => {
    const wrong = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    if (parameters.cir > parameters.pir)
      wrong(
        ["cir"],
        `expected a committed rate of at most the peak rate ${parameters.pir}, got ${parameters.cir}`,
      );
    if (parameters.rate_window >= 2 ** 31) wrong(["rate_window"], "expected less than 2 GiB");
    const { classes } = parameters;
    let sum = 0;
    for (const [i, { dscp, share, up_to }] of classes.entries()) {
      sum += share;
      // 0.7 + 0.2 + 0.1 is above 1 in binary fractions.
      if (sum > 1 + 1e-9)
        wrong(
          ["classes", i, "share"],
          `expected shares whose sum is at most 1, got ${Number(sum.toPrecision(6))} with this class`,
        );
      if (classes.findIndex((other) => other.dscp === dscp) < i)
        wrong(["classes", i, "dscp"], `expected a DSCP that no other class has, got ${dscp} again`);
      const isLast = i === classes.length - 1;
      if (isLast && up_to !== undefined)
        wrong(["classes", i, "up_to"], "expected no bound: the last class has all larger flows");
      if (!isLast && up_to === undefined)
        wrong(["classes", i], "expected up_to: only the last class has none");
      const before = classes[i - 1]?.up_to;
      if (up_to !== undefined && before !== undefined && up_to <= before)
        wrong(["classes", i, "up_to"], `expected more than the ${before} bytes of the class before`);
    }
  });

export type P4teParameters = z.output<typeof p4teParameters>;
