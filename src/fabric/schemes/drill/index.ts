/**
 * DRILL(d, m) (Ghorbani et al., SIGCOMM 2017): each packet takes the shortest of the queues of d next hops that are drawn and of m that are
 * remembered. Switches tell each other nothing. Where paths differ, flows are hashed to components of equal ones. Hosts do not change paths.
 */
import { z } from "zod";
import { fixedHosts } from "../fixed-hosts.js";
import type { Scheme } from "../scheme.js";
import { planDrillSwitches } from "./plan.js";

const drillParameters = z.strictObject({
  /** d: next hops that each packet draws. */
  draws: z.number().int().min(1).max(8).default(2),
  /** m: whether the next hop of the last packet is looked at too. */
  memory: z.union([z.literal(0), z.literal(1)]).default(1),
  /** Whether the next hops of an asymmetric fabric are divided into components of symmetric paths; otherwise all are one. */
  decompose: z.boolean().default(true),
});

export type DrillParameters = z.output<typeof drillParameters>;

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
