/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  noSuchBlock: "P41300",
  tooLarge: "P41301",
} as const;
