/** Error codes of this room; docs/errors.md explains how to correct each. */
export const CODES = {
  unloadable: "P43401",
  endless: "P43402",
  shape: "P43403",
  threw: "P43404",
  programs: "P43405",
} as const;
