/** Diagnostic codes of this room, one a mistake; docs/errors.md says what to do about each. */
export const CODES = {
  openBracket: "P46200",
  tooLongToFormat: "P46201",
} as const;
