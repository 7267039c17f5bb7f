/** The experiment file of the kind `fluid`: rates of flows over the paths of schemes, without packets. docs/flow-simulator.md explains it. */
import { z } from "zod";
import { FLOW_SIM_SCHEMES } from "../../../schemes/index.js";
import {
  bytesSchema,
  durationSchema,
  positiveDurationSchema,
  rateSchema,
  topologySchema,
} from "../../../topology/index.js";
import type { SizeDistribution } from "../../../traffic/index.js";
import { controlPlaneSchema, fabricKeys, labelSchema, whole } from "../../experiment.js";
import { listedFaultSchema } from "../../faults/listed-faults.js";

const ONE_OF = (keys: string) => `expected exactly one of the keys ${keys}`;

const patternSchema = z.union(
  [
    z.enum(["all_to_all", "inter_rack", "permutation", "random"]),
    z.strictObject({ stride: whole("a distance between hosts", 1, 1e6) }),
    z.strictObject({
      cliques: z.strictObject({
        count: whole("a number of cliques", 1, 1e6),
        /** Switches of each. */
        switches: whole("a number of switches", 2, 1e6).default(2),
      }),
    }),
  ],
  {
    error: "expected all_to_all, inter_rack, permutation, random, { stride: N } or { cliques: { count: N } }",
  },
);

const sizesSchema = z.union(
  [
    z.string(),
    z.strictObject({ fixed: bytesSchema }),
    /** Mean of an exponential distribution. */
    z.strictObject({ exponential: bytesSchema }),
  ],
  { error: `expected the name of a distribution, or ${ONE_OF("fixed, exponential")}` },
);

/** Either `trace` alone, or a pattern with its keys. */
const partSchema = z.strictObject({
  /** A traffic file, whose flows are used as with `traffic: { trace }` of the kind `load`. */
  trace: z.string().min(1, "expected the name of a traffic file").optional(),
  pattern: patternSchema.optional(),
  /** Payload rate of each switch whose hosts send, as flows of `sizes` with Poisson arrivals. Absent: each sender has one flow without an end. */
  rate: rateSchema.optional(),
  sizes: sizesSchema.optional(),
  /** Absent: all hosts that send under the pattern. */
  senders: z
    .strictObject({
      /** Number of switches; they are drawn. */
      switches: whole("a number of switches", 1, 1e6).optional(),
      /** Number of sending hosts of each switch. */
      hosts: whole("a number of hosts", 1, 1e6).optional(),
      /** Share of the remaining hosts; they are drawn. */
      share: z
        .number({ error: "expected a share above 0 and at most 1" })
        .gt(0, "expected a share above 0 and at most 1")
        .max(1, "expected a share above 0 and at most 1")
        .optional(),
    })
    .prefault({}),
});

const schemesSchema = z
  .array(
    z.union([
      z.enum(Object.keys(FLOW_SIM_SCHEMES) as [string, ...string[]]),
      z.discriminatedUnion(
        "scheme",
        Object.entries(FLOW_SIM_SCHEMES).map(([name, { parameters }]) =>
          z.strictObject({
            scheme: z.literal(name),
            /** Name in the results; default: the scheme's name. */
            label: labelSchema.optional(),
            /** In place of the file's. */
            subflows: whole("a number of subflows", 1, 1024).optional(),
            ...(parameters as unknown as z.ZodObject).shape,
          }),
        ) as unknown as [z.ZodObject<{ scheme: z.ZodLiteral<string> }>],
      ),
    ]),
  )
  .min(1);

export const flowSimFileSchema = z.strictObject({
  kind: z.literal("fluid").optional(),
  name: fabricKeys.name,
  title: fabricKeys.title,
  seed: fabricKeys.seed,
  engine: z.literal("sim", { error: "expected sim: the kind fluid has no packets" }).default("sim"),
  topology: topologySchema,
  schemes: schemesSchema,
  traffic: z.array(partSchema).min(1),
  duration: positiveDurationSchema,
  /** Time from the start that is not measured. */
  warm_up: durationSchema.default(0),
  /** Time between two turns of the switches' software. */
  epoch: positiveDurationSchema.default(10_000_000),
  /** Time for which rates are constant; default: an epoch. */
  step: positiveDurationSchema.optional(),
  /** Number of bundles into which the flows of two racks are divided, each with one path; absent: each flow has its own path. */
  bundles: whole("a number of bundles", 1, 65_536).optional(),
  /** True: a flow keeps its first path, whatever switches change. False: it follows the changes, as packets do. */
  keep_paths: z.boolean().default(false),
  /** Number of subflows of each flow (MPTCP), where flows have paths of their own. */
  subflows: whole("a number of subflows", 1, 1024).default(1),
  rates: z
    .union(
      [
        z.literal("max_min"),
        z.strictObject({
          aimd: z
            .strictObject({
              round_trip: positiveDurationSchema.default(1_000_000),
              segment: bytesSchema.default(1500),
            })
            .prefault({}),
        }),
      ],
      { error: "expected max_min, or { aimd: { round_trip: TIME, segment: BYTES } }" },
    )
    .default("max_min"),
  /** Faults at times of the run, as of the packet simulator. */
  faults: z.array(listedFaultSchema).default([]),
  control_plane: controlPlaneSchema.prefault({}),
  sweep: fabricKeys.sweep,
  output: z.string().min(1).optional(),
});

export type FlowSimSettings = z.output<typeof flowSimFileSchema>;
export type FlowSimPart = z.output<typeof partSchema>;

/** Draws a size in bytes. */
export type Sizes =
  | { readonly kind: "exponential"; readonly mean: number }
  | { readonly kind: "distribution"; readonly of: SizeDistribution };
