/**
 * Presto (He et al., SIGCOMM 2015): hosts cut each flow into cells of 64 KB, and send cell after cell on the next of the routes to the other rack, whose
 * label each packet carries. Switches forward by labels. Receivers put cells in order below TCP. No switch and no host measures anything.
 *
 * Routes and switches are those of `multiroute`: a label names a route, and routes of two racks are disjoint, as the paper's spanning trees are
 * (section 3.1; in two tiers each spine is the root of one).
 */
import { z } from "zod";
import { SELECTOR_FIELDS } from "../../../base/packets/index.js";
import { durationSchema } from "../../topology/index.js";
import { checkDescription } from "../description.js";
import { routesDescription } from "../multiroute/hosts.js";
import { multiroute } from "../multiroute/index.js";
import type { Scheme } from "../scheme.js";
import { cellSchema, prestoHosts } from "./hosts.js";

const prestoParameters = z.strictObject({
  /** Bytes of a cell: the most that a host hands to its NIC at once (section 2.2). */
  cell: cellSchema.default(65_536),
  /** Maximum number of routes of a pair of racks; fewer where the graph has fewer disjoint ones. */
  paths: z.number().int().min(2).max(64).default(4),
  /** Header field that carries the label: the paper's is the destination MAC address. */
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  /** Whether receivers put cells in order below TCP; the kernel of a testbed cannot. */
  reassembly: z.boolean().default(true),
  /** The longest time that data wait for cells of other paths. */
  hold: durationSchema.prefault("1ms"),
});

const prestoDescription = z.strictObject({
  kind: z.literal("presto"),
  cell: cellSchema,
  hold: z.number().int().min(0).optional(),
  routes: routesDescription,
});

export const presto: Scheme<z.output<typeof prestoParameters>> = {
  name: "presto",
  title: "Presto",
  summary: "Presto: hosts send cells of 64 KB over the routes in turn, receivers put them in order below TCP",
  parameters: prestoParameters,
  plan(topology, { cell, paths, field, reassembly, hold }, locate) {
    const routed = multiroute.parameters.parse({ paths, field, failover: "none" });
    const { closedForm: _, ...plan } = multiroute.plan(topology, routed, locate);
    return {
      ...plan,
      scheme: "presto",
      hosts: { kind: "presto", cell, ...(reassembly ? { hold } : {}), routes: plan.hosts },
      repaths: "hosts",
      notes: [
        `Presto: cells of ${cell} bytes take the routes in turn, also after a timeout; ${
          reassembly
            ? `receivers hold data that other paths have overtaken for up to ${hold / 1000} us, below TCP`
            : "nothing puts them in order again: transport.reordering tolerates it"
        }.`,
      ],
    };
  },
  hosts: (description) => prestoHosts(checkDescription(prestoDescription, description)),
};
