/** Plain ECMP: the hash of the five-tuple picks the path, and a flow never leaves it. */
import { z } from "zod";
import { NEVER_LEAVES } from "../closed-form.js";
import { fixedHosts } from "../fixed-hosts.js";
import { hashParameters, sharedStageNotes } from "../hash-settings.js";
import type { Scheme } from "../scheme.js";
import { planEcmpSwitches } from "./plan.js";

const ecmpParameters = z.strictObject({
  ...hashParameters,
});

export const ecmp: Scheme<z.output<typeof ecmpParameters>> = {
  name: "ecmp",
  title: "ECMP",
  summary: "plain ECMP: the hash of the five-tuple picks the path; hosts never re-path",
  parameters: ecmpParameters,
  plan: (topology, parameters) => ({
    scheme: "ecmp",
    field: "dscp",
    ...planEcmpSwitches(topology, parameters),
    hosts: { kind: "fixed", selector: 0 },
    repaths: false,
    closedForm: NEVER_LEAVES,
    notes: sharedStageNotes(topology),
  }),
  hosts: fixedHosts,
};
