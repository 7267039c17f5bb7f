/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  textTooLong: "P46210",
} as const;
