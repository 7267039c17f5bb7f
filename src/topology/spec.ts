/**
 * The description of a network in a file: the parameters of a generator, or a list of nodes and links. The
 * shapes are checked here, the meaning in `build.ts`.
 */
import { z } from "zod";
import { durationSchema, rateSchema } from "./units.js";

const linkSchema = z.strictObject({
  rate: rateSchema.default(100e9),
  delay: durationSchema.default(1000),
});

const DEFAULT_LINK = { rate: 100e9, delay: 1000 };

const count = (what: string) => z.number({ error: `expected ${what}` }).int(`expected ${what}`);

const shared = {
  name: z.string().optional(),
  /** `dual`: every host has a NIC on each ToR of its pair (P-ECMP, section 4). */
  homing: z.enum(["single", "dual"]).default("dual"),
  /** Hosts below each ToR, or below each pair of ToRs when homing is dual. */
  hosts_per_rack: count("a number of hosts").default(2),
  host_link: linkSchema.default(DEFAULT_LINK),
  fabric_link: linkSchema.default(DEFAULT_LINK),
  /** Links between switches that are left out, as pairs of node names in either order. */
  missing_links: z.array(z.tuple([z.string(), z.string()])).default([]),
};

/** Three tiers. Nodes are named `torP-I`, `leafP-I`, `spineJ-I` (plane J) or `spineI`, `hostP-R-I`. */
const closSchema = z.strictObject({
  kind: z.literal("clos"),
  pods: count("a number of pods"),
  tors_per_pod: count("a number of ToRs"),
  leaves_per_pod: count("a number of leaves"),
  spines_per_plane: count("a number of spines"),
  /**
   * `planes`: leaf k of every pod links to the spines of plane k, so a spine has one link a pod. `mesh`: there
   * is one set of `spines_per_plane` spines and every leaf links to all of them, so a spine has as many
   * links a pod as the pod has leaves (the reading under which P-ECMP's Figure 6a counts spine groups).
   */
  wiring: z.enum(["planes", "mesh"]).default("planes"),
  ...shared,
});

/** Two tiers: every ToR links to every leaf, leaves are the top (P-ECMP's topologies #1 to #4). */
const leafSpineSchema = z.strictObject({
  kind: z.literal("leaf_spine"),
  tors: count("a number of ToRs"),
  leaves: count("a number of leaves"),
  ...shared,
});

/** Any network, node by node and link by link. */
const graphSchema = z.strictObject({
  kind: z.literal("graph"),
  name: z.string().optional(),
  nodes: z.array(
    z.strictObject({
      name: z.string().min(1),
      role: z.enum(["host", "tor", "leaf", "spine", "switch"]),
    }),
  ),
  links: z.array(
    z.strictObject({
      a: z.string(),
      b: z.string(),
      rate: rateSchema.default(100e9),
      delay: durationSchema.default(1000),
    }),
  ),
});

export const topologySchema = z.discriminatedUnion("kind", [closSchema, leafSpineSchema, graphSchema]);

export type ClosSpec = z.output<typeof closSchema>;
export type LeafSpineSpec = z.output<typeof leafSpineSchema>;
export type GraphSpec = z.output<typeof graphSchema>;
export type TopologySpec = z.output<typeof topologySchema>;
/** The same before defaults are filled in. */
export type TopologyInput = z.input<typeof topologySchema>;
