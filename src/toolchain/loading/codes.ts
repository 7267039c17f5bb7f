/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  cannotRead: "P40001",
  tooLarge: "P40002",
  cannotWrite: "P40003",
  p4infoSuffix: "P40004",
  noP4Info: "P40018",
  notP4: "P40007",
  experimentAsProject: "P40050",
  includeFolder: "P40051",
} as const;
