/** Parameters of P-ECMP: the policy C, the header field of the selector, and the capacity of the switches. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../../base/packets/index.js";
import { hashParameters } from "../hash-settings.js";
import { balancingSchema } from "../plb/balancing-path.js";
import { thresholdSchema } from "../plb/index.js";
import { groupMembersSchema } from "../wcmp/group.js";
import { FAILOVERS } from "./failovers.js";
import { VERSION_BITS } from "./layout.js";
import { SPRAYS } from "./spraying.js";
import { SWITCH_MODELS } from "./sram.js";
import { SUBFLOW_RULES } from "./subflows.js";
import { elementSchema, updateParameters, weightsSchema } from "./update/parameters.js";
import { viaSchema } from "./via-schema.js";

const modelSchema = z.union(
  [
    z.enum(Object.keys(SWITCH_MODELS) as [string, ...string[]]),
    z.strictObject({ groups: z.number().int().min(1), members: z.number().int().min(1) }),
  ],
  { error: `expected ${Object.keys(SWITCH_MODELS).join(", ")}, or {groups, members}` },
);

export const pecmpParameters = z.strictObject({
  /** What the selector controls. */
  control: z.enum(["offset", "hops", "both"]).default("offset"),
  /** Header field that carries the selector. */
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  /** Version bits for transactional updates, which also halve the usable capacity for groups. */
  version_bit: z.enum(VERSION_BITS).default("none"),
  /** Offsets that hosts draw from; `auto` means `odd` if all group sizes are powers of two, otherwise `primes`. */
  offsets: z.enum(["auto", "odd", "primes"]).default("auto"),
  failover: z.enum(FAILOVERS).default("probe"),
  /** Hosts leave congested paths by PLB's rules (section 5.2, "Load imbalance"); `{}` means PLB's defaults, and `threshold` is that of PLB. */
  balance: balancingSchema.extend({ threshold: thresholdSchema }).optional(),
  /** Selectors of the subflows of a connection, and of their acknowledgements. */
  subflow_selectors: z.enum(SUBFLOW_RULES).default("halved"),
  /** Routes of hosts through given nodes: their flows begin on these routes, and leave them by `failover`. Needs control of next hops. */
  via: viaSchema,
  /** Each packet has a selector of its own; replaces `failover`. */
  spray: z.enum(SPRAYS).optional(),
  /** Switches and links that are out of service at first; an update may put them into service. */
  without: z.array(elementSchema).default([]),
  /** How the fabric changes from one state to the next (section 3.4). */
  update: updateParameters.prefault({}),
  /** Switch model by role; default: `trident5`. */
  switches: z
    .strictObject({
      tor: modelSchema.optional(),
      leaf: modelSchema.optional(),
      spine: modelSchema.optional(),
      switch: modelSchema.optional(),
    })
    .default({}),
  /**
   * WCMP: `[switch, neighbour, weight]`, every other next hop has weight 1; or `capacity`: in proportion to the capacity over each
   * next hop, for each destination, as in the scheme `wcmp`.
   */
  weights: weightsSchema.default([]),
  /** With `weights: capacity`: maximum number of members of a base group, in which each next hop occurs as often as its weight. */
  group_members: groupMembersSchema,
  /**
   * An offset shifts the whole path only if the switches of a tier hash in the same way: with the seed scope `switch`, the next switch
   * of the shifted path may lead back to the old path.
   */
  ...hashParameters,
});

export type PecmpParameters = z.output<typeof pecmpParameters>;
