import type { LabView } from "../../../src/course/lab/index.js";

/** Approximate time that a packet is drawn on a link, in seconds of real time. */
const LINK_S = 0.6;

/** The speed, a power of ten, at which packets on most links of a network can be seen. */
export function slowMotion({ links }: LabView): number {
  const delays = links.map(({ delayNs }) => delayNs).sort((a, b) => a - b);
  const typical = Math.max(1000, delays[delays.length >> 1] ?? 1e6) / 1e9;
  return Math.min(1, 10 ** Math.round(Math.log10(typical / LINK_S)));
}
