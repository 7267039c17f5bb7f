/** The congestion controls by the names that experiment files use. */
import { Bbr } from "./bbr.js";
import type { CongestionControlMaker } from "./congestion-control.js";
import { Cubic } from "./cubic.js";
import { Dctcp } from "./dctcp.js";
import { FixedWindow } from "./fixed.js";
import { Lia } from "./lia.js";
import { Olia } from "./olia.js";
import { Reno } from "./reno.js";

export const CONGESTION_CONTROLS = {
  fixed: (options) => new FixedWindow(options),
  reno: (options) => new Reno(options),
  cubic: (options) => new Cubic(options),
  dctcp: (options) => new Dctcp(options),
  bbr: (options) => new Bbr(options),
  lia: (options) => new Lia(options),
  olia: (options) => new Olia(options),
} as const satisfies Record<string, CongestionControlMaker>;

export type CongestionControlName = keyof typeof CONGESTION_CONTROLS;
