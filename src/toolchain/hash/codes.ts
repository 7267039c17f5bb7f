/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  unknownHash: "P44101",
  setting: "P44102",
  input: "P44103",
} as const;
