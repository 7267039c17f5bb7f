/**
 * The experiment file of the kind `survival`: which connections with several subflows survive a failed switch or link, without packets
 * (P-ECMP, NSDI'25, section 5.2, "Multi-path protocol").
 */
import { z } from "zod";
import { topologySchema } from "../../../topology/index.js";
import { fabricKeys, ipSchema, whole } from "../../experiment.js";

const TIERS = ["tor", "leaf", "spine", "link"] as const;

export const survivalSchema = z.strictObject({
  kind: z.literal("survival").optional(),
  name: fabricKeys.name,
  title: fabricKeys.title,
  seed: fabricKeys.seed,
  engine: z.literal("sim", { error: "expected sim: the kind survival has no packets" }).default("sim"),
  topology: topologySchema,
  schemes: fabricKeys.schemes,
  connections: whole("a number of connections", 1, 1e8),
  connection_subflows: whole("a number of subflows", 1, 16).default(4),
  /** Each subflow has a client port of its own, or all have one five-tuple and differ by their selectors alone. */
  subflow_ports: z.enum(["own", "shared"]).default("own"),
  /** All connections are between the two hosts, or each between two hosts that are drawn. */
  between: z
    .union([z.tuple([z.string(), z.string()]), z.enum(["inter_rack", "inter_pod"])], {
      error: "expected two hosts, inter_rack or inter_pod",
    })
    .default("inter_rack"),
  /** What fails: a ToR or a leaf of the client's side, a spine, or a link from a ToR of the client to a leaf. */
  failures: z.array(z.enum(TIERS)).min(1),
  ip: ipSchema,
  sweep: fabricKeys.sweep,
  output: z.string().min(1).optional(),
});

export type SurvivalSettings = z.output<typeof survivalSchema>;
export type SurvivalFailure = SurvivalSettings["failures"][number];
