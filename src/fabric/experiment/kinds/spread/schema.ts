/** The experiment file of the kind `spread`: how evenly schemes spread flows over groups and links, without packets. */
import { z } from "zod";
import { topologySchema } from "../../../topology/index.js";
import { fabricKeys, whole } from "../../experiment.js";

const PATTERNS = ["any", "inter_rack", "inter_pod"] as const;

export const spreadSchema = z.strictObject({
  kind: z.literal("spread").optional(),
  name: fabricKeys.name,
  title: fabricKeys.title,
  seed: fabricKeys.seed,
  engine: z.literal("sim", { error: "expected sim: the kind spread has no packets" }).default("sim"),
  topology: topologySchema,
  schemes: fabricKeys.schemes,
  /** Number of flows that are traced, between hosts drawn by the pattern. */
  trace_flows: whole("a number of flows", 1, 1e9),
  pattern: z.enum(PATTERNS).default("inter_rack"),
  ip: z.union([z.literal(4), z.literal(6)], { error: "expected 4 or 6" }).default(4),
  /** Name of a distribution: the load of a flow is its size. Absent: all flows count equally. */
  sizes: z.string().optional(),
  /** Groups with fewer flows per port are left out: chance makes them uneven. */
  least_flows: whole("a number of flows", 1, 1e6).default(100),
  sweep: fabricKeys.sweep,
  output: z.string().min(1).optional(),
});

export type SpreadSettings = z.output<typeof spreadSchema>;
