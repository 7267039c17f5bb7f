/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  unsupported: "P41101",
  memory: "P41102",
  programEntry: "P41103",
} as const;
