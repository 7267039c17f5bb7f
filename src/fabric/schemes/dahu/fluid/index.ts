/** Dahu in the flow simulator. Without deroutes it is Dahu's load balancing over shortest paths, as in a fat tree. */
import { z } from "zod";
import { Distances } from "../../../sim/flow/index.js";
import type { FlowSimScheme } from "../../flow-sim-scheme.js";
import { nanoseconds, timeText } from "../../time-text.js";
import { Rebalancing } from "../policy/epoch.js";
import { FullBalancer } from "../policy/full-balance.js";
import { HeuristicBalancer } from "../policy/heuristic.js";
import { derouting, furtherRule, switchParameters } from "../switch-parameters.js";
import { checkCoordinates, groupsOfDimensions, groupsOfNextHops, oneGroup } from "./group-plan.js";
import { DahuRouter } from "./router.js";

const flowSimParameters = z.strictObject({
  ...switchParameters,
  /** What switches count: the traffic of each member of a group, as in the paper, or that of each virtual port (section 3.1). */
  counters: z.enum(["members", "virtual_ports"]).default("members"),
  /** Time for which a neighbour stops after feedback (section 7). */
  hold: timeText.default("5ms"),
  /** Time from a change of a link elsewhere to new bitmaps: that of the routing protocol (section 4.6). */
  propagation: timeText.default("1ms"),
});

type FlowSimParameters = z.output<typeof flowSimParameters>;

export const dahuFlowSim: FlowSimScheme<FlowSimParameters> = {
  name: "dahu",
  title: "Dahu",
  parameters: flowSimParameters,
  check(network, parameters, locate) {
    furtherRule(parameters, locate);
    derouting(parameters, locate);
    if (parameters.port_groups === "offset_dimensions") checkCoordinates(network, locate);
  },
  router(network, parameters, seed, locate = () => undefined) {
    const { virtual_ports: virtualPorts, feedback, balance, rounds } = parameters;
    const distances = new Distances(network);
    const { deroutes, kind } = derouting(parameters, locate);
    const initial = { count: virtualPorts, seed };
    const plan =
      kind === "one"
        ? oneGroup(network, initial)
        : kind === "offset_dimensions"
          ? groupsOfDimensions(network, initial, locate)
          : groupsOfNextHops(network, distances, initial, locate);
    const rebalancing =
      balance === "none"
        ? undefined
        : new Rebalancing(balance === "full" ? new FullBalancer() : new HeuristicBalancer(rounds));
    const countsVirtualPorts = parameters.counters === "virtual_ports";
    const rule = furtherRule(parameters, locate);
    const propagationNs = nanoseconds(parameters.propagation);
    const holdNs = nanoseconds(parameters.hold);
    const settings = { deroutes, rule, virtualPorts, feedback, holdNs, countsVirtualPorts, propagationNs };
    const policy = { network, distances, plan, settings, rebalancing, seed };
    return (bundles) => new DahuRouter(policy, bundles);
  },
};
