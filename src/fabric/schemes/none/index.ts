/** Hosts that do not re-path, for comparison: plain ECMP under the name of a baseline. */
import { ecmp } from "../ecmp/index.js";
import type { Scheme } from "../scheme.js";

export const none: Scheme<Parameters<typeof ecmp.plan>[1]> = {
  ...ecmp,
  name: "none",
  title: "no re-pathing",
  summary: "no re-pathing: the switches of plain ECMP, and hosts that stay on their path",
  plan: (topology, parameters, locate) => ({
    ...ecmp.plan(topology, parameters, locate),
    scheme: "none",
  }),
};
