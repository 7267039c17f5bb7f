/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  command: "P43201",
  form: "P43202",
  name: "P43203",
  value: "P43204",
  missing: "P43205",
  refused: "P43206",
  unable: "P43207",
  fileShape: "P43211",
  fileName: "P43212",
  fileValue: "P43213",
  filePriority: "P43214",
} as const;
