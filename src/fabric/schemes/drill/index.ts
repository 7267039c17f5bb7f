/**
 * DRILL(d, m) (Ghorbani et al., SIGCOMM 2017): each packet takes the shortest of the queues of d next hops that are drawn and of m that are
 * remembered. Switches tell each other nothing. Where paths differ, flows are hashed to components of equal ones. Hosts do not change paths.
 */
import { fixedHosts } from "../fixed-hosts.js";
import type { Scheme } from "../scheme.js";
import { type DrillParameters, drillParameters } from "./parameters.js";
import { planDrillSwitches } from "./plan.js";

export const drill: Scheme<DrillParameters> = {
  name: "drill",
  title: "DRILL",
  summary: "DRILL: each packet takes the shortest of a few queues of its switch",
  parameters: drillParameters,
  plan: (topology, parameters, locate = () => undefined) => ({
    scheme: "drill",
    field: "dscp",
    ...planDrillSwitches(topology, parameters, locate),
    hosts: { kind: "fixed", selector: 0 },
    repaths: "switches",
  }),
  hosts: fixedHosts,
};
