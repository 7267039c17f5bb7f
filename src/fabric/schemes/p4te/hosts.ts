/**
 * P4TE's hosts: they mark the packets of a flow with the DSCP of its class (section 4.1.3). Rate control
 * needs no change of the hosts.
 */
import { z } from "zod";
import { fixedPath, type HostPolicy } from "../../hosts/index.js";
import { checkDescription } from "../description.js";
import { flowHash } from "../hash.js";

/** DSCP of packets without a class: acknowledgements, and flows of unknown size. */
const UNCLASSIFIED = 0;

const p4teDescription = z.strictObject({
  kind: z.literal("p4te"),
  /** Sorted by size; the last has no upper bound. */
  classes: z.array(z.strictObject({ dscp: z.number().int().min(0).max(15), upTo: z.number().optional() })),
});

export function p4teHosts(description: unknown): HostPolicy {
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
