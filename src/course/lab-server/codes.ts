/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  cannotListen: "P46050",
  notOpenable: "P46051",
  tooLarge: "P46052",
  outside: "P46053",
  cannotWrite: "P46054",
  noPage: "P46055",
  tooManyNodes: "P46056",
  noScheme: "P46057",
  terminals: "P46058",
  language: "P46059",
  languageKey: "P46060",
  languagePlaces: "P46061",
  languageMissing: "P46062",
} as const;
