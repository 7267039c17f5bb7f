/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  noSolution: "P46320",
  solutionFails: "P46321",
  staleException: "P46322",
} as const;
