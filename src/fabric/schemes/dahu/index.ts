/**
 * Dahu (Radhakrishnan et al., ANCS 2013): virtual ports that each switch remaps by its own counters, and non-minimal paths where the
 * shortest ones are full. `docs/papers/dahu.md` says what follows the paper and what differs.
 */
import { switchesOf } from "../../topology/index.js";
import { fixedHosts } from "../fixed-hosts.js";
import type { Scheme } from "../scheme.js";
import { nanoseconds } from "../time-text.js";
import { dahuController } from "./controller.js";
import { type DahuParameters, dahuParameters } from "./parameters.js";
import { planDahu } from "./plan.js";
import { Rebalancing } from "./policy/epoch.js";
import { FullBalancer } from "./policy/full-balance.js";
import { HeuristicBalancer } from "./policy/heuristic.js";

export const dahu: Scheme<DahuParameters> = {
  name: "dahu",
  title: "Dahu",
  summary: "Dahu: virtual ports that are remapped by load, longer paths where shortest ones are full",
  parameters: dahuParameters,
  plan: (topology, parameters, locate = () => undefined) => {
    const { programs, switches, own, classes, settings, unit } = planDahu(topology, parameters, locate);
    const { balance, rounds, feedback } = parameters;
    const all = switchesOf(topology).map(({ index }) => index);
    return {
      scheme: "dahu",
      field: parameters.field,
      switchesUseField: true,
      programs,
      switches,
      controllers: own
        .filter(({ node }) => classes.portsOf(node.index).length > 0)
        .map((each) => ({
          name: `dahu-${each.node.name}`,
          switches: [each.node.index, ...all.filter((index) => index !== each.node.index)],
          place: "switch" as const,
          controller: dahuController({
            own: each,
            classes,
            settings,
            unit,
            epochNs: nanoseconds(parameters.epoch),
            propagationNs: nanoseconds(parameters.propagation),
            feedback,
            rebalancing: () =>
              balance === "none"
                ? undefined
                : new Rebalancing(balance === "full" ? new FullBalancer() : new HeuristicBalancer(rounds)),
          }),
        })),
      hosts: { kind: "fixed", selector: 0 },
      // Hosts do not change paths; the switches do.
      repaths: false,
    };
  },
  hosts: fixedHosts,
};
