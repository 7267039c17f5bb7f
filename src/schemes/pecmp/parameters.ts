/** Parameters of P-ECMP: the policy C, where the selector travels, and what the switches have room for. */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../generate/index.js";
import { SEED_SCOPES } from "../fabric.js";
import { FAILOVERS } from "./hosts.js";
import { VERSION_BITS } from "./layout.js";
import { SWITCH_MODELS } from "./sram.js";

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
  /** Header field that carries it. */
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  /** Version bits for transactional updates, which also halve the room for groups. */
  version_bit: z.enum(VERSION_BITS).default("none"),
  /** Offsets that hosts draw from; `auto` takes `odd` where all groups are powers of two. */
  offsets: z.enum(["auto", "odd", "primes"]).default("auto"),
  failover: z.enum(FAILOVERS).default("probe"),
  /** Switch model by role; a role that is not named is a `trident5`. */
  switches: z
    .strictObject({
      tor: modelSchema.optional(),
      leaf: modelSchema.optional(),
      spine: modelSchema.optional(),
      switch: modelSchema.optional(),
    })
    .default({}),
  /** WCMP: `[switch, neighbour, weight]`; every other next hop weighs 1. */
  weights: z.array(z.tuple([z.string(), z.string(), z.number().int().min(1)])).default([]),
  hash_seed: z.number().int().min(0).default(1),
  /**
   * Switches that share a seed. An offset shifts the whole path only if the switches of a tier hash alike:
   * with `switch`, the next switch of the shifted path may lead back to where the old path went.
   */
  seed_scope: z.enum(SEED_SCOPES).default("tier"),
});

export type PecmpParameters = z.output<typeof pecmpParameters>;
