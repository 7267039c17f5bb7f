/** Hosts that never change the selector of a flow. */
import { z } from "zod";
import { fixedPath } from "../../hosts/index.js";
import { flowHash } from "../hash.js";
import type { SchemeHosts } from "../scheme.js";

/** `selector`: what every packet carries. */
export const fixedDescription = z.strictObject({
  kind: z.literal("fixed"),
  selector: z.number().int().min(0).max(0xffffffff),
});

export function fixedHosts(description: z.output<typeof fixedDescription>): SchemeHosts {
  return {
    description,
    open: () => fixedPath(description.selector),
    nic: (flow, _selector, nics) => flowHash(flow) % nics,
  };
}
