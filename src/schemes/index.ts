/**
 * Traffic-control schemes. Each is one {@link Scheme}: parameters, the programs and state of its switches
 * (control plane), and the behaviour of its hosts.
 */
import { ecmp } from "./ecmp/index.js";
import { pecmp } from "./pecmp/index.js";
import { prr } from "./prr/index.js";
import type { Scheme } from "./scheme.js";

export * from "./ecmp/index.js";
export * from "./host-policy.js";
export * from "./pecmp/index.js";
export * from "./prr/index.js";
export * from "./scheme.js";

/** All schemes, by name. */
export const SCHEMES = { ecmp, pecmp, prr } as const;

export type SchemeName = keyof typeof SCHEMES;

/** The scheme of that name, if there is one. Its parameters must have been parsed by its own schema. */
export function schemeNamed(name: string): Scheme | undefined {
  return Object.hasOwn(SCHEMES, name) ? (SCHEMES[name as SchemeName] as Scheme) : undefined;
}
