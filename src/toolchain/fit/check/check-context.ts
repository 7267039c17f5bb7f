/** What the checks of a program share. */

import type { bmv2 } from "../../program/index.js";
import type { FitModel } from "../model/model.js";
import type { Target } from "../target.js";

/** What a rule sees, and how it reports. */
export interface CheckContext {
  readonly model: FitModel;
  readonly target: Target;
  /** The first stage of a unit that the dependencies leave. */
  earliestOf(unit: number): number;
  /** Adds an error at a place, with what to do instead. */
  refuse(code: string, source: bmv2.SourceInfo | undefined, message: string, instead: string): void;
  /** Adds a warning at a place, with what to do instead. */
  warn(code: string, source: bmv2.SourceInfo | undefined, message: string, instead: string): void;
}
