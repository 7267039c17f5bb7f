/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  cannotRead: "P40001",
  cannotWrite: "P40003",
  tls: "P40013",
  cannotListen: "P40014",
  longFrames: "P40026",
} as const;
