/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  syntax: "P43001",
  wrongValue: "P43004",
} as const;
