/**
 * Traffic-control schemes. Each is one {@link Scheme}: parameters, the programs and state of its switches
 * (control plane), and the behaviour of its hosts.
 */
export * from "./host-policy.js";
export * from "./scheme.js";
