/** The outcome of a unit: all figures of one scheme under one seed. All but the scheme is JSON. */

import type { SchemeRun } from "../../scheme-run.js";
import type { LoadFigures } from "./load-figures.js";

export interface LoadOutcome extends LoadFigures {
  readonly scheme: SchemeRun;
}
