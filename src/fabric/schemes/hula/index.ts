/**
 * HULA (Katta et al., SOSR 2016): ToRs send probes that collect the utilisation of the busiest link of each path. Every switch keeps the best next
 * hop to each rack, and sends new flowlets there. Hosts do not change paths.
 */
import { fixedHosts } from "../fixed-hosts.js";
import type { Scheme } from "../scheme.js";
import { type HulaParameters, hulaParameters, planHulaSwitches } from "./plan.js";

export const hula: Scheme<HulaParameters> = {
  name: "hula",
  title: "HULA",
  summary: "HULA: probes find the best next hop to each rack, new flowlets take it",
  parameters: hulaParameters,
  plan: (topology, parameters, locate) => ({
    scheme: "hula",
    field: "dscp",
    ...planHulaSwitches(topology, parameters, locate),
    hosts: { kind: "fixed", selector: 0 },
    // After a timeout a flow has paused: its next segment begins a flowlet.
    repaths: "switches",
  }),
  hosts: fixedHosts,
};
