/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  nodeName: "P43150",
  linkEnd: "P43151",
  twoLinks: "P43152",
  hostToHost: "P43153",
  unlinkedHost: "P43154",
  missingFile: "P43155",
  whichProgram: "P43156",
  outsideFolder: "P43159",
  noFile: "P46301",
  unknownNode: "P46302",
  packet: "P46303",
  whichKind: "P46304",
  headerLayout: "P46305",
  outside: "P46306",
  controller: "P46307",
  hiddenPoints: "P46308",
} as const;
