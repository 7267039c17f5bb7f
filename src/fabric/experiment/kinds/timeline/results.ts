/** The results of a timeline. */

import type { SchemeRun } from "../../experiment.js";
import type { RunResults } from "../../results.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import type { Timeline } from "./check.js";
import type { FlowRecord, TimelineRow } from "./flows.js";

/** All flows under one scheme, in the order of {@link TimelineRow.flow}. */
export interface TimelineSeries {
  readonly scheme: SchemeRun;
  readonly records: readonly FlowRecord[];
  /** On a testbed: load of the machine while the flows ran. */
  readonly load?: RunLoad;
}

export type TimelineResults = RunResults<Timeline, TimelineSeries, TimelineRow>;
