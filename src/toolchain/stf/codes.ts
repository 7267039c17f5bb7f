/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  unexpectedPort: "P41250",
  unknownCommand: "P41251",
  lineForm: "P41252",
  unknownName: "P41253",
  value: "P41254",
  otherPacket: "P41255",
  missingPacket: "P41256",
  unexpectedPacket: "P41257",
  counter: "P41258",
  refusedEntry: "P41259",
} as const;
