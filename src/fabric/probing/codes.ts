/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  noProbes: "P45306",
  noAnswer: "P45307",
} as const;
