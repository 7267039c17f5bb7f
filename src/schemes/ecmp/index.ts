/** Plain ECMP: the hash of the five-tuple picks the path, and a flow never leaves it. */
import { z } from "zod";
import { SEED_SCOPES } from "../fabric.js";
import { hostPolicyOf } from "../host-policy.js";
import type { Scheme } from "../scheme.js";
import { planEcmpSwitches } from "./plan.js";

const ecmpParameters = z.strictObject({
  hash_seed: z.number().int().min(0).default(1),
  /** Switches that share a hash seed. */
  seed_scope: z.enum(SEED_SCOPES).default("tier"),
});

export type EcmpParameters = z.output<typeof ecmpParameters>;

export const ecmp: Scheme<EcmpParameters> = {
  name: "ecmp",
  title: "ECMP",
  summary: "plain ECMP: the hash of the five-tuple picks the path; hosts never re-path",
  parameters: ecmpParameters,
  plan: (topology, parameters) => ({
    scheme: "ecmp",
    field: "dscp",
    ...planEcmpSwitches(topology, {
      hashedField: undefined,
      hashSeed: parameters.hash_seed,
      seedScope: parameters.seed_scope,
    }),
    repathing: "none",
    hosts: hostPolicyOf({ kind: "fixed", selector: 0 }),
  }),
};
