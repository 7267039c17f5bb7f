/** What the plans of a run's traffic share. */

import type { Diagnostics, Locate, Random, SourceFile } from "../../../../base/index.js";
import type { Topology } from "../../../topology/index.js";
import type { PacketSource, Workload } from "../../../traffic/index.js";
import type { TrafficSettings } from "./schema.js";
import type { FileDigest } from "./traffic-files.js";

export interface TrafficContext {
  readonly settings: TrafficSettings;
  /** The key `load` of the file. */
  readonly load: number | undefined;
  /** Payload of a full segment. */
  readonly segmentBytes: number;
  readonly topology: Topology;
  /** The experiment file. */
  readonly source: SourceFile;
  /** Finds places of the experiment file: the traffic is under `traffic`, the load under `load`. */
  readonly locate: Locate;
  readonly diagnostics: Diagnostics;
}

/** Without the files and the packets. */
export type FlowPlan = Omit<TrafficPlan, "files" | "replay">;

/** Checked traffic, with hosts of its topology. */
export interface TrafficPlan {
  /** The same seed gives the same flows, under every scheme. */
  workload(random: Random): Workload;
  /** Frames that hosts send in addition to the flows; absent: none. */
  readonly replay: (() => PacketSource) | undefined;
  /** Flows start before this time, in nanoseconds, and `flows` is their maximum number; absent where the file gives none. */
  readonly durationNs: number | undefined;
  readonly flows: number | undefined;
  /** What drawn traffic costs on average; absent for recorded flows, and for closed loops that only a duration ends. */
  readonly cost?: TrafficCost | undefined;
  /** The files that were read in addition to the experiment file: results depend on them. */
  readonly files: readonly FileDigest[];
}

export interface TrafficCost {
  readonly flows: number;
  /** Payload. */
  readonly bytes: number;
  /** Data packets, without retransmissions and acknowledgements. */
  readonly packets: number;
}
