/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  captureForm: "P42310",
  captureCutOff: "P42311",
  captureLength: "P42312",
  frameInPart: "P42313",
  captureBlocks: "P42314",
} as const;
