/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  noFile: "P46001",
  noNode: "P46002",
  notHere: "P46003",
  packetField: "P46004",
  packetShape: "P46005",
  noStory: "P46006",
  commandWords: "P46007",
  noFlow: "P46008",
  noUndo: "P46009",
  readOnly: "P46010",
  noProgram: "P46011",
  refused: "P46012",
  internal: "P46013",
  notEdited: "P46014",
} as const;
