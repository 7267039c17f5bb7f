/** The experiment file of the kind `localise`: the number of probes that find the element which loses packets, computed without packets. */
import { z } from "zod";
import { positiveDurationSchema, topologySchema } from "../../../topology/index.js";
import { fabricKeys, whole } from "../../experiment.js";

const SHARE = "expected a share above 0 and at most 1";

/** Keys of the failures and of the confidence, for both kinds of localisation. */
export const searchKeys = {
  /** Kinds of elements that fail; one element fails in each run. */
  elements: z
    .array(z.enum(["switch", "link", "direction", "host_link"]))
    .min(1)
    .default(["switch", "link", "direction"]),
  /** Shares of the packets that the element loses. */
  loss: z
    .array(z.number({ error: SHARE }).gt(0, SHARE).max(1, SHARE))
    .min(1)
    .default([1]),
  /** Number of failures for each kind of element and each share. */
  failures: whole("a number of failures", 1, 1e6),
  /** An element is named when its confidence is at least this. */
  confidence: z
    .number()
    .gt(0.5, "expected a confidence above 0.5")
    .lt(1, "expected a confidence below 1")
    .default(0.99),
};

export const localiseSchema = z.strictObject({
  kind: z.literal("localise").optional(),
  name: fabricKeys.name,
  title: fabricKeys.title,
  seed: fabricKeys.seed,
  engine: z
    .literal("sim", { error: "expected sim: the kind localise has no packets; localise_packets has" })
    .default("sim"),
  topology: topologySchema,
  /** Header field that carries the selector. */
  selector: fabricKeys.selector,
  schemes: fabricKeys.schemes,
  ...searchKeys,
  /** Time between two probes of one host; all hosts send. */
  probe_interval: positiveDurationSchema.default(10_000_000),
  /** Maximum number of probes for one failure; without a name by then, it stays unnamed. */
  most_probes: whole("a number of probes", 1, 1e8).default(1_000_000),
  /** Number of pairs of hosts whose paths are covered for the figure of coverage. */
  cover_pairs: whole("a number of pairs", 1, 10_000).default(20),
  ip: z.union([z.literal(4), z.literal(6)], { error: "expected 4 or 6" }).default(4),
  sweep: fabricKeys.sweep,
  output: z.string().min(1).optional(),
});

export type LocaliseSettings = z.output<typeof localiseSchema>;
