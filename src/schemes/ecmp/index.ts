/** Plain ECMP: the hash of the five-tuple picks the path, and a flow never leaves it. */
import { z } from "zod";
import { NEVER_LEAVES } from "../closed-form.js";
import { SEED_SCOPES } from "../fabric.js";
import { fixedHosts } from "../fixed-hosts.js";
import type { Scheme } from "../scheme.js";
import { planEcmpSwitches } from "./plan.js";

const ecmpParameters = z.strictObject({
  hash_seed: z.number().int().min(0).default(1),
  /** Switches that share a hash seed. */
  seed_scope: z.enum(SEED_SCOPES).default("tier"),
});

export const ecmp: Scheme<z.output<typeof ecmpParameters>> = {
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
    hosts: { kind: "fixed", selector: 0 },
    repaths: false,
    closedForm: NEVER_LEAVES,
  }),
  hosts: fixedHosts,
};
