/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  sizeLine: "P42301",
  sizesDescend: "P42302",
  sizesEnd: "P42303",
  sizesZero: "P42304",
  columnNames: "P42320",
  columnCount: "P42321",
  cellValue: "P42322",
  cellHost: "P42323",
  cellOrder: "P42324",
  matrix: "P42334",
  captureLink: "P42340",
} as const;
