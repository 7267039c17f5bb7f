/** Hosts that never change the selector of a flow, for every scheme that leaves paths to the switches. */
import { z } from "zod";
import { fixedPath, type HostPolicy } from "../hosts/index.js";
import { checkDescription } from "./description.js";
import { flowHash } from "./hash.js";

/** `selector`: the selector of every packet. */
const fixedDescription = z.strictObject({
  kind: z.literal("fixed"),
  selector: z.number().int().min(0).max(0xffffffff),
});

/** The policy of a description of kind `fixed`. Throws DiagnosticError P42210 for another one. */
export function fixedHosts(description: unknown): HostPolicy {
  const { selector } = checkDescription(fixedDescription, description);
  return {
    plain: selector === 0,
    open: () => fixedPath(selector),
    nic: (flow, _selector, nics) => flowHash(flow) % nics,
  };
}
