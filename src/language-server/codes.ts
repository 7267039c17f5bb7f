/** Diagnostic codes of this room, one a mistake; docs/errors.md says what to do about each. */
export const CODES = {
  textTooLong: "P46210",
} as const;
