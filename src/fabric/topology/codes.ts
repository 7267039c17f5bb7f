/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  countTooSmall: "P42101",
  oddToRs: "P42102",
  addressesExceeded: "P42103",
  tooManyPorts: "P42104",
  linkEnd: "P42105",
  contradiction: "P42106",
  hostWithoutLink: "P42107",
  oddPorts: "P42108",
  fewSupernodes: "P42109",
  degree: "P42110",
  mapUnread: "P42111",
  map: "P42112",
  globalLinks: "P42113",
} as const;
