/**
 * The description of a network in a file: the parameters of a generator, or a list of nodes and links. The
 * shapes are checked here, the meaning in `build.ts`.
 */
import { z } from "zod";
import { durationSchema, rateSchema } from "./units.js";

const count = (what: string) => z.number({ error: `expected ${what}` }).int(`expected ${what}`);

const positiveCount = (what: string) => count(what).min(1, `expected ${what}`).max(1e9, `expected ${what}`);

/** Queues of the switches at the ends of a link. */
const linkQueueKeys = {
  /** Maximum number of packets per second that a switch sends into the link, whatever their sizes (BMv2's `set_queue_rate`). */
  rate_pps: positiveCount("a whole number of packets per second from 1 on").optional(),
  /** Maximum number of packets that wait at a switch's port to the link; absent: `queues.packets` of the file. */
  queue_packets: positiveCount("a number of packets from 1 on").optional(),
};

const linkSchema = z.strictObject({
  rate: rateSchema.default(100e9),
  delay: durationSchema.default(1000),
  ...linkQueueKeys,
});

const DEFAULT_LINK = { rate: 100e9, delay: 1000 };

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

/** A fat tree: see `clos.ts`. Its hosts have one NIC. Names as in a `clos` with planes. */
const fatTreeSchema = z.strictObject({
  kind: z.literal("fat_tree"),
  /** Ports of each switch, an even number. */
  k: count("a number of ports"),
  name: shared.name,
  hosts_per_rack: count("a number of hosts").optional(),
  host_link: shared.host_link,
  fabric_link: shared.fabric_link,
  missing_links: shared.missing_links,
});

/** Keys of networks without tiers, whose switches all have hosts. */
const flat = {
  name: shared.name,
  hosts_per_switch: count("a number of hosts").default(2),
  host_link: shared.host_link,
  fabric_link: shared.fabric_link,
  missing_links: shared.missing_links,
};

/** A HyperX. The switch at coordinates (1, 0, 2) is called `switch1-0-2`, its hosts `host1-0-2-I`. */
const hyperxSchema = z.strictObject({
  kind: z.literal("hyperx"),
  /** Number of switches in each dimension; `[2, 2, 2]` is a hypercube. */
  shape: z.array(count("a number of switches")).min(1, "expected at least one dimension"),
  ...flat,
});

/** A k-ary n-flat: a HyperX with n - 1 dimensions of k switches, each with k hosts. Names as in a `hyperx`. */
const flattenedButterflySchema = z.strictObject({
  kind: z.literal("flattened_butterfly"),
  /** Switches of each dimension; by default also the hosts of each switch. */
  k: count("a number of switches"),
  /** Number of dimensions, plus 1: that of the stages of the butterfly. */
  n: count("a number of stages"),
  ...flat,
  hosts_per_switch: count("a number of hosts").optional(),
});

/** Groups of switches with global links. Switches are called `switchG-I`, hosts `hostG-I-J`. */
const dragonflySchema = z.strictObject({
  kind: z.literal("dragonfly"),
  switches_per_group: count("a number of switches"),
  /** Of each switch. */
  global_links: count("a number of links"),
  /** Default: as many as give each pair of groups one link, switches_per_group x global_links + 1. */
  groups: count("a number of groups").optional(),
  ...flat,
});

/** A ring of supernodes. Switches are called `switchS-I`, hosts `hostS-I-J`. */
const dringSchema = z.strictObject({
  kind: z.literal("dring"),
  supernodes: count("a number of supernodes"),
  switches_per_supernode: count("a number of switches"),
  ...flat,
});

/** A random regular graph. Switches are called `switchI`, hosts `hostI-J`. */
const jellyfishSchema = z.strictObject({
  kind: z.literal("jellyfish"),
  switches: count("a number of switches"),
  /** Links of each switch to other switches. */
  degree: count("a number of links"),
  /** Seed of the draw; it does not depend on the seed of a run. */
  seed: z.number({ error: "expected a seed" }).int("expected a whole number").min(0).default(1),
  ...flat,
});

/** The three stages of a server block; switches of the second stage are `s2bB-I`, of the third `s3bB-I`. */
const block = {
  name: shared.name,
  tors_per_block: count("a number of ToRs"),
  stage2_per_block: count("a number of switches"),
  stage3_per_block: count("a number of switches"),
  /** Parallel links between a ToR and each switch of the second stage. */
  tor_links: count("a number of links").default(1),
  hosts_per_rack: shared.hosts_per_rack,
  host_link: shared.host_link,
  fabric_link: shared.fabric_link,
  missing_links: shared.missing_links,
};

/** Five stages: see `jupiter.ts`. Switches of spine block P are `s4pP-B-I` (for server block B) and `s5pP-I`. */
const jupiterSchema = z.strictObject({
  kind: z.literal("jupiter"),
  server_blocks: count("a number of server blocks"),
  spine_blocks: count("a number of spine blocks"),
  stage4_per_server_block: count("a number of switches"),
  stage5_per_spine_block: count("a number of switches"),
  ...block,
});

/** Server blocks without spines: see `spineless.ts`. */
const spinelessSchema = z.strictObject({
  kind: z.literal("spineless"),
  blocks: count("a number of server blocks"),
  /** `full`: every pair of blocks is linked; `ring`: each block and the next two on both sides. */
  wiring: z.enum(["full", "ring"]).default("full"),
  /** Number of links between two linked blocks. */
  links_per_pair: count("a number of links"),
  block_link: linkSchema.default(DEFAULT_LINK),
  ...block,
});

/** A site of B4: see `stargate.ts`. Switches are `edgeS-I` and `coreS-I`, hosts `hostS-I-J`. */
const stargateSchema = z.strictObject({
  kind: z.literal("stargate"),
  supernodes: count("a number of supernodes"),
  edges_per_supernode: count("a number of switches"),
  cores_per_supernode: count("a number of switches"),
  links_per_pair: count("a number of links"),
  hosts_per_edge: count("a number of hosts").default(2),
  name: shared.name,
  host_link: shared.host_link,
  fabric_link: shared.fabric_link,
  missing_links: shared.missing_links,
});

/** A map: a name of the package's `data/maps`, or a path from the folder of the file. Nodes are `nNAME`, hosts `host-nNAME-I`. */
const mapSchema = z.strictObject({ kind: z.literal("map"), map: z.string().min(1), ...flat });

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
      ...linkQueueKeys,
    }),
  ),
});

export const topologySchema = z.discriminatedUnion("kind", [
  closSchema,
  fatTreeSchema,
  leafSpineSchema,
  hyperxSchema,
  flattenedButterflySchema,
  dragonflySchema,
  dringSchema,
  jellyfishSchema,
  jupiterSchema,
  spinelessSchema,
  stargateSchema,
  mapSchema,
  graphSchema,
]);

export type ClosSpec = z.output<typeof closSchema>;
export type FatTreeSpec = z.output<typeof fatTreeSchema>;
export type HyperXSpec = z.output<typeof hyperxSchema>;
export type FlattenedButterflySpec = z.output<typeof flattenedButterflySchema>;
export type DragonflySpec = z.output<typeof dragonflySchema>;
export type DRingSpec = z.output<typeof dringSchema>;
export type JellyfishSpec = z.output<typeof jellyfishSchema>;
export type LeafSpineSpec = z.output<typeof leafSpineSchema>;
export type JupiterSpec = z.output<typeof jupiterSchema>;
export type SpinelessSpec = z.output<typeof spinelessSchema>;
export type StargateSpec = z.output<typeof stargateSchema>;
export type MapSpec = z.output<typeof mapSchema>;
export type GraphSpec = z.output<typeof graphSchema>;
export type TopologySpec = z.output<typeof topologySchema>;
/** The same before defaults are filled in. */
export type TopologyInput = z.input<typeof topologySchema>;
