/** What the engines `switch` and `bmv2` want to know beyond the experiment file. */
import type { NetworkKind, Omission } from "../../testbed/index.js";

export interface TestbedOptions {
  /** Who makes hosts and links. Default: `netns`, ourselves. */
  readonly network?: NetworkKind;
  /** Path of simple_switch_grpc; default: the one on PATH. */
  readonly bmv2?: string;
  /** Properties of links that the runs may go without where the kernel cannot give them. */
  readonly allowMissing?: ReadonlySet<Omission>;
  /** Capture every port of every switch. */
  readonly pcap?: boolean;
  /** Aborted: the runs end, and everything that they started. */
  readonly stop?: AbortSignal;
}
