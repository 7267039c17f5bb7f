/**
 * P4TE (D. D. Robin, 2022): each switch monitors the queues and rates of its own ports, picks paths by them for each flowlet, and
 * changes the window of senders by fake acknowledgements. `docs/papers/p4te.md` says what follows the paper and what differs.
 */

import { z } from "zod";
import { given } from "../../../base/index.js";
import { fixedPath, type HostPolicy } from "../../hosts/index.js";
import { nodeAt } from "../../topology/index.js";
import { checkDescription } from "../description.js";
import { flowHash } from "../hash.js";
import type { Scheme } from "../scheme.js";
import { p4teController } from "./controller.js";
import { type P4teParameters, p4teParameters } from "./parameters.js";
import { planP4te } from "./plan.js";

/** DSCP of packets without a class: acknowledgements, and flows of unknown size. */
const UNCLASSIFIED = 0;

const p4teDescription = z.strictObject({
  kind: z.literal("p4te"),
  /** Sorted by size; the last has no upper bound. */
  classes: z.array(z.strictObject({ dscp: z.number().int().min(0).max(15), upTo: z.number().optional() })),
});

export const p4te: Scheme<P4teParameters> = {
  name: "p4te",
  title: "P4TE",
  summary: "P4TE: paths by queue depth and link utilisation, rate control by fake acknowledgements",
  parameters: p4teParameters,
  plan: (topology, parameters, locate = () => undefined) => {
    const { layouts, colourAge, ...fabric } = planP4te(topology, parameters, locate);
    return {
      scheme: "p4te",
      field: "dscp",
      ...fabric,
      controllers: fabric.switches.flatMap(({ node }) => {
        const layout = layouts.get(node)!;
        if (layout.ports.length === 0) return [];
        return [
          {
            name: `p4te-${nodeAt(topology, node).name}`,
            switches: [node],
            controller: p4teController({
              layout,
              delta: parameters.delta,
              writesStatus: parameters.feedback === "controller",
              colourAge,
            }),
            place: "switch" as const,
          },
        ];
      }),
      hosts: {
        kind: "p4te",
        classes: parameters.classes.map(({ dscp, up_to }) => ({
          dscp,
          ...given({ upTo: up_to }),
        })),
      },
      // After a timeout a flow has often been idle for longer than the flowlet gap.
      repaths: "switches",
      notes: [...notesOf(parameters), colourNote(colourAge)],
    };
  },
  hosts: p4teHosts,
};

function colourNote(age: number | undefined): string {
  return age === undefined
    ? "P4TE: the colour of a port stays until a packet crosses the port (the paper's rule)."
    : `P4TE: the colour of a port that no packet crosses is forgotten after ${age / 1e6} ms.`;
}

function notesOf({ rate_control, hold_window, rate_window }: P4teParameters): string[] {
  if (!rate_control) return ["P4TE without rate adaptation."];
  return [
    hold_window
      ? `P4TE: the leaf keeps a smaller window in the acknowledgements of ${rate_window} bytes.`
      : "P4TE: a FACK changes the window until the next acknowledgement.",
  ];
}

/** P4TE's hosts mark the packets of a flow with the DSCP of its class (section 4.1.3). Rate control needs no change of the hosts. */
function p4teHosts(description: unknown): HostPolicy {
  const { classes } = checkDescription(p4teDescription, description);
  return {
    open: (_flow, _random, { bytes }) => {
      const own =
        bytes === undefined ? undefined : classes.find(({ upTo }) => upTo === undefined || bytes <= upTo);
      return fixedPath(own?.dscp ?? UNCLASSIFIED);
    },
    nic: (flow, _selector, nics) => flowHash(flow) % nics,
  };
}
