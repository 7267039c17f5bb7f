import type { LabView } from "../../../src/lab/index.js";

/** A packet takes about so long on a link, in seconds of the wall's clock. */
const LINK_S = 0.6;

/** The power of ten at which most links of a network take long enough that their packets can be seen. */
export function slowMotion({ links }: LabView): number {
  const delays = links.map(({ delayNs }) => delayNs).sort((a, b) => a - b);
  const typical = Math.max(1000, delays[delays.length >> 1] ?? 1e6) / 1e9;
  return Math.min(1, 10 ** Math.round(Math.log10(typical / LINK_S)));
}
