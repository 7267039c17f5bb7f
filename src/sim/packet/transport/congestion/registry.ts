/** The congestion controls by the names that experiment files use. */
import type { CongestionControlMaker } from "./congestion-control.js";
import { FixedWindow } from "./fixed.js";
import { Reno } from "./reno.js";

export const CONGESTION_CONTROLS = {
  fixed: (options) => new FixedWindow(options),
  reno: (options) => new Reno(options),
} as const satisfies Record<string, CongestionControlMaker>;

export type CongestionControlName = keyof typeof CONGESTION_CONTROLS;
