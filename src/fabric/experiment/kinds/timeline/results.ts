/** The results of a timeline. */
import { formatTable } from "../../../../base/index.js";
import type { RunResults } from "../../results.js";
import type { SchemeRun } from "../../scheme-run.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import { type FlowRecord, recoveredText, type TimelineRow } from "./flows.js";
import type { Timeline } from "./schema.js";

/** All flows under one scheme, in the order of {@link TimelineRow.flow}. */
export interface TimelineSeries {
  readonly scheme: SchemeRun;
  readonly records: readonly FlowRecord[];
  /** On a testbed: load of the machine while the flows ran. */
  readonly load?: RunLoad;
}

export type TimelineResults = RunResults<Timeline, TimelineSeries, TimelineRow>;

/** The rows as a table for a terminal. */
export function timelineTable(rows: readonly TimelineRow[]): string {
  const header = [
    "scheme",
    "flow",
    "from",
    "to",
    "bytes",
    "fct ms",
    "timeouts",
    "re-paths",
    "copies",
    "outage ms",
    "recovered",
  ];
  const cells = rows.map((row) => [
    row.scheme,
    row.flow,
    row.from,
    row.to,
    row.bytes,
    row.fct_ms?.toFixed(1) ?? null,
    row.timeouts,
    row.repaths,
    row.copies,
    row.longest_outage_ms?.toFixed(1) ?? null,
    recoveredText(row),
  ]);
  return formatTable(header, cells);
}
