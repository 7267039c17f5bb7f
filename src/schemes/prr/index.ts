/**
 * PRR (SIGCOMM'23): the data plane is plain ECMP with an additional header field in the hash input. A host
 * re-paths by writing a random value into this field.
 *
 * Both ends re-path. The sender re-paths on a timeout. The receiver re-paths when it receives data with another value in
 * the field (the sender has re-pathed), or only data that it already has (its acknowledgements were lost). So each
 * attempt draws both directions anew, as P-ECMP's closed form p = ((N-1)/N)^2 assumes (section 2.1).
 */
import { z } from "zod";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../hosts/index.js";
import { planEcmpSwitches } from "../ecmp/plan.js";
import { SEED_SCOPES } from "../fabric.js";
import { hostPolicyOf } from "../host-policy.js";
import type { Scheme } from "../scheme.js";

const prrParameters = z.strictObject({
  /**
   * Header field that hosts change. The 64 values of a DSCP are enough for a uniform choice in one tier, but too few for
   * independent choices in all tiers; a flow label has enough values. But an IPv4 packet has no flow label.
   */
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  hash_seed: z.number().int().min(0).default(1),
  /** Switches that share a hash seed. */
  seed_scope: z.enum(SEED_SCOPES).default("tier"),
});

export type PrrParameters = z.output<typeof prrParameters>;

export const prr: Scheme<PrrParameters> = {
  name: "prr",
  title: "PRR",
  summary: "PRR: the hash covers a header field that hosts change at random to re-path",
  parameters: prrParameters,
  plan: (topology, parameters) => ({
    scheme: "prr",
    field: parameters.field,
    ...planEcmpSwitches(topology, {
      hashedField: parameters.field,
      hashSeed: parameters.hash_seed,
      seedScope: parameters.seed_scope,
    }),
    repathing: "random",
    hosts: hostPolicyOf({ kind: "prr", values: 2 ** FIELD_BITS[parameters.field] }),
  }),
};
