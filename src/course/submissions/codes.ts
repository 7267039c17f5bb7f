/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  noSubmissions: "P46310",
  notRead: "P46311",
  noIsolation: "P46312",
  unknownTarget: "P46313",
  notGraded: "P46314",
  noPython: "P46315",
  hiddenAbsent: "P46316",
  otherEngine: "P46317",
  noQuestion: "P46318",
  roster: "P46330",
  twoRows: "P46331",
  nobody: "P46332",
  noSubmission: "P46333",
  whose: "P46334",
  formulaIdentifier: "P46335",
} as const;
