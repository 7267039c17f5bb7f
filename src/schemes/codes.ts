/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  sliceOutside: "P42005",
  tooManyGroups: "P42201",
  selectorTooWide: "P42202",
  offsets: "P42203",
  weight: "P42204",
  withoutTiers: "P42205",
  hostPolicy: "P42210",
  probesWithoutTiers: "P45102",
  ageing: "P45103",
  withoutCoordinates: "P45411",
  tooManyPortGroups: "P45412",
} as const;
