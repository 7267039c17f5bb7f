/** Host policies from their descriptions: the one way in which a scheme's plan and the agent on a host make them. */
import type { z } from "zod";
import { fail } from "../base/index.js";
import { fixedDescription, fixedHosts } from "./ecmp/hosts.js";
import { pecmpDescription } from "./pecmp/description.js";
import { pecmpHosts } from "./pecmp/hosts.js";
import { prrDescription, prrHosts } from "./prr/hosts.js";
import type { SchemeHosts } from "./scheme.js";

/** What makes the policy of each kind. The schemas check what comes from another process. */
const POLICIES: Readonly<Record<string, (description: unknown) => SchemeHosts>> = {
  fixed: (description) => fixedHosts(checked(fixedDescription, description)),
  prr: (description) => prrHosts(checked(prrDescription, description)),
  pecmp: (description) => {
    const { failover, layout, offsets } = checked(pecmpDescription, description);
    return pecmpHosts(failover, layout, offsets);
  },
};

/**
 * The policy that a description stands for: `fixed`, `prr` or `pecmp`. A policy's own `description` gives an equal
 * policy. Fails with P42210 for another kind, and where a parameter is missing or wrong.
 */
export function hostPolicyOf(description: unknown): SchemeHosts {
  const kind: unknown =
    typeof description === "object" && description !== null && "kind" in description
      ? description.kind
      : undefined;
  if (typeof kind === "string" && Object.hasOwn(POLICIES, kind)) return POLICIES[kind]!(description);
  const known = Object.keys(POLICIES).join(", ");
  return fail(
    "P42210",
    undefined,
    kind === undefined
      ? `the description of a host policy has no kind; known kinds are ${known}`
      : `unknown kind of host policy ${JSON.stringify(kind)}; known kinds are ${known}`,
  );
}

function checked<T>(schema: z.ZodType<T>, description: unknown): T {
  const result = schema.safeParse(description);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const place = path.length === 0 ? "" : `${path.join(".")}: `;
  return fail("P42210", undefined, `the description of a host policy is wrong: ${place}${message}`);
}
