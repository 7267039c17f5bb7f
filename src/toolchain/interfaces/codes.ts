/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  unavailable: "P40020",
  noInterface: "P40021",
  notPermitted: "P40022",
  noNamespace: "P40023",
  portTwice: "P40024",
  noEthernet: "P40025",
  tunDevice: "P40027",
} as const;
