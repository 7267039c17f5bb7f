/** Error codes of this room; docs/errors.md says what to do about each. */
export const CODES = {
  // P4Info
  textSyntax: "P41001",
  textField: "P41002",
  textValue: "P41003",
  json: "P41004",
  binary: "P41005",
  identity: "P41006",
  reference: "P41007",
  value: "P41008",
  // BMv2 JSON
  bmv2Syntax: "P41011",
  bmv2Shape: "P41012",
  bmv2Reference: "P41013",
  bmv2Limit: "P41014",
  // bf-rt.json
  bfrtInstance: "P41021",
  bfrtArchitecture: "P41022",
  bfrtType: "P41023",
  bfrtSyntax: "P41024",
} as const;
