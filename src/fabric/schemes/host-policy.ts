/** Makes host policies from their descriptions, for a scheme's plan and for the agent on a host. */
import { fail } from "../../base/index.js";
import type { HostContext, HostPolicy } from "../hosts/index.js";
import { CODES } from "./codes.js";
import { fixedHosts } from "./fixed-hosts.js";
import * as registered from "./registry.js";
import type { Scheme } from "./scheme.js";

/** All schemes by name, in the order of their names. */
export const SCHEMES: Readonly<Record<string, Scheme>> = { ...registered };

/** The scheme of that name, if there is one. Its parameters must have been parsed by its own schema. */
export function schemeNamed(name: string): Scheme | undefined {
  return Object.hasOwn(SCHEMES, name) ? SCHEMES[name] : undefined;
}

/**
 * The policy of one host from its description. Its kind is `fixed`, or the name of the scheme that interprets the other members.
 * Fails with P42210 for another kind, and where a parameter is missing or wrong.
 */
export function hostPolicyOf(description: unknown, context: HostContext): HostPolicy {
  const kind: unknown =
    typeof description === "object" && description !== null && "kind" in description
      ? description.kind
      : undefined;
  if (kind === "fixed") return fixedHosts(description);
  const scheme = typeof kind === "string" ? schemeNamed(kind) : undefined;
  if (scheme !== undefined) return scheme.hosts(description, context);
  const known = ["fixed", ...Object.keys(SCHEMES)].join(", ");
  return fail(
    CODES.hostPolicy,
    undefined,
    kind === undefined
      ? `the description of a host policy has no kind; known kinds are ${known}`
      : `unknown kind of host policy ${JSON.stringify(kind)}; known kinds are ${known}`,
  );
}
