/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  missingFile: "P43155",
  refusedEntry: "P43157",
} as const;
