/** How hosts react to a failure. */

export const FAILOVERS = ["probe", "shift", "prr", "none"] as const;
