/**
 * CONGA (Alizadeh et al., SIGCOMM 2014): ToRs learn the congestion of each of their uplinks towards each other rack from packets of the
 * other direction, and send a new flowlet where the busiest link is the least busy. Hosts do not change paths.
 */
import { Ethernet } from "../../../base/packets/index.js";
import { fixedHosts } from "../fixed-hosts.js";
import type { Scheme } from "../scheme.js";
import { type CongaParameters, congaParameters } from "./parameters.js";
import { planCongaSwitches } from "./plan.js";

export const conga: Scheme<CongaParameters> = {
  name: "conga",
  title: "CONGA",
  summary: "CONGA: ToRs learn the congestion of paths from each other, new flowlets take the best",
  parameters: congaParameters,
  plan: (topology, parameters, locate = () => undefined) => ({
    scheme: "conga",
    field: "dscp",
    overlayBytes: Ethernet.OVERLAY_LENGTH,
    ...planCongaSwitches(topology, parameters, locate),
    hosts: { kind: "fixed", selector: 0 },
    // After a timeout a flow has paused: its next segment begins a flowlet.
    repaths: "switches",
  }),
  hosts: fixedHosts,
};
