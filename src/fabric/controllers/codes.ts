/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  threw: "P43301",
  stuckTime: "P43302",
  foreignSwitch: "P43303",
  contradiction: "P43304",
  unknownController: "P43305",
  notPrepared: "P43307",
  unknownHost: "P43308",
} as const;
