/** The figures of a run of the kind load. */

import type { TrimmedPort } from "../../../sim/packet/index.js";
import type { SchemeRun } from "../../experiment.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import type { FlowControlFigures } from "./meters/flow-control-meter.js";
import type { FlowFigures, GroupFigures } from "./meters/flow-meter.js";
import type { Halves } from "./meters/halves-meter.js";
import type { Drops, LinkUse } from "./meters/link-meter.js";
import type { QueueFigures } from "./meters/queue-meter.js";
import type { LoadSeries, WindowSample } from "./meters/series-meter.js";

export interface LoadFigures {
  readonly seed: number;
  readonly flows: FlowFigures;
  readonly groups?: GroupFigures;
  /** Number of all flows, those of the warm-up included, and how many of these had not ended at the end. */
  readonly started: number;
  readonly openAtEnd: number;
  /** Nanoseconds from the start of the traffic: the window of links, queues and goodput, and the end of the run. */
  readonly window: readonly [begin: number, end: number];
  readonly endNs: number;
  /** With commands: when the first one to any scheme of the file is given. It divides the window. */
  readonly firstCommandNs?: number;
  /** The pilot run found no end of the transient in its first half. */
  readonly unsettled?: true;
  /** Payload that arrived in the window and after it; only where more arrived after it. */
  readonly outsideWindow?: { readonly within: number; readonly after: number };
  /**
   * With `measured_flows`, where the traffic ended before that number had begun or before these had ended: nanoseconds from the start of the
   * traffic to the last arrival.
   */
  readonly trafficEndedNs?: number;
  /** Bits of payload per second that the traffic offers on average by its description; absent for recorded flows and closed loops. */
  readonly nominalBps?: number;
  /** The halves of the window; absent where it has none (all flows start at one instant). */
  readonly halves?: Halves;
  readonly links?: readonly LinkUse[];
  /** Only from the simulator: a testbed's switches do not report these. */
  readonly queues?: QueueFigures;
  readonly drops?: Drops;
  /** With `queues.pfc`. */
  readonly flowControl?: FlowControlFigures;
  /** With `queues.trim`: ports at which any packet was cut or waited with the headers. */
  readonly trimmed?: readonly TrimmedPort[];
  /** On a testbed: number of frames that entered a switch and did not leave it, by switch, where it is above 0. */
  readonly lostAtSwitches?: Readonly<Record<string, number>>;
  /** With `series`. */
  readonly series?: LoadSeries;
  /** With `windows`: in the order of the samples; and number of samples beyond the most that are kept. */
  readonly windows?: readonly WindowSample[];
  readonly windowsLeftOut?: number;
  /** With `record: flows`: in the order in which they ended. */
  readonly lines?: readonly FlowLine[];
  /** Number of lines that `record_limit` cut off. */
  readonly linesLeftOut?: number;
  /** Only on a testbed. */
  readonly load?: RunLoad;
}

/** Times in nanoseconds from the start of the traffic. */
export interface FlowLine {
  readonly flow: number;
  readonly start_ns: number;
  readonly src: string;
  readonly dst: string;
  readonly bytes: number;
  /** Absent: the flow had not ended. */
  readonly fct_ns?: number;
  readonly slowdown?: number;
  readonly group?: number;
  readonly retransmissions?: number;
  readonly timeouts?: number;
  readonly reordered?: number;
}

export interface LoadOutcome extends LoadFigures {
  readonly scheme: SchemeRun;
}
