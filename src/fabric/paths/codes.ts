/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  /** Columns of flows that do not fit each other, or the topology. */
  columns: "P45200",
} as const;
