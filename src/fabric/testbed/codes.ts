/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  contradiction: "P43101",
  notPermitted: "P43102",
  notInstalled: "P43103",
  switchStart: "P43104",
  kernelLacks: "P43105",
  hostCommand: "P43106",
  setUp: "P43107",
  removal: "P43108",
  noLink: "P43109",
  portTaken: "P43110",
  records: "P43111",
  agentStart: "P43170",
  agentRequest: "P43171",
  flowFailed: "P43172",
  iperf3: "P43173",
  cannotWrite: "P40003",
} as const;
