/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  severalNics: "P45401",
  hostWithoutLink: "P45402",
  unreachable: "P45403",
} as const;
