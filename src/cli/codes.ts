/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  cannotWrite: "P40003",
  wrongValue: "P40005",
  unknownFlag: "P40011",
  ports: "P40012",
  tls: "P40013",
  program: "P40016",
  portFiles: "P40017",
  notUtf8: "P40019",
  portTwice: "P40024",
  noSwitch: "P40040",
  coverage: "P40041",
  notSymbolic: "P40042",
  otherTables: "P40043",
  p4c: "P43158",
  notSteerable: "P44104",
  notForPage: "P46100",
} as const;
