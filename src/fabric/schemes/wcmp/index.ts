/** WCMP: ECMP whose groups have each next hop in proportion to the capacity over it (Zhou et al., EuroSys 2014). */
import { z } from "zod";
import { NEVER_LEAVES } from "../closed-form.js";
import { planEcmpSwitches } from "../ecmp/plan.js";
import { fixedHosts } from "../fixed-hosts.js";
import { hashParameters, sharedStageNotes } from "../hash-settings.js";
import type { Scheme } from "../scheme.js";
import { groupMembersSchema, MOST_MEMBERS } from "./group.js";
import { wcmpReport } from "./report.js";
import { weightedRoutes } from "./weighted-routes.js";

const wcmpParameters = z.strictObject({
  ...hashParameters,
  /** Maximum number of members of a group, in which each next hop occurs in proportion to its weight. */
  group_members: groupMembersSchema,
});

/**
 * Weights that were equal may differ for each rack after a failure. The old and the new state are in the tables at the same time.
 */
function leastRoom(racks: number, groupMembers: number) {
  return { groups: 2 * racks, members: Math.min(MOST_MEMBERS, 2 * racks * groupMembers), routes: 4 * racks };
}

export const wcmp: Scheme<z.output<typeof wcmpParameters>> = {
  name: "wcmp",
  title: "WCMP",
  summary: "weighted ECMP: next hops get shares in proportion to the capacity over them; hosts never re-path",
  parameters: wcmpParameters,
  plan: (topology, parameters) => ({
    scheme: "wcmp",
    field: "dscp",
    ...planEcmpSwitches(topology, parameters, undefined, {
      routesOf: (of) => weightedRoutes(of, parameters.group_members),
      least: leastRoom(topology.racks.length, parameters.group_members),
    }),
    hosts: { kind: "fixed", selector: 0 },
    repaths: false,
    closedForm: NEVER_LEAVES,
    notes: sharedStageNotes(topology),
  }),
  hosts: fixedHosts,
  report: wcmpReport,
};
