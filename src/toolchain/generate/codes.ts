/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  braces: "P42001",
  rendering: "P42002",
  unknownTemplate: "P42003",
  values: "P42004",
  partialName: "P42006",
} as const;
