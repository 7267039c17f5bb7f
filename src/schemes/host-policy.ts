/**
 * What the hosts of a scheme do: choose the selector of what they send, and the NIC that it leaves by.
 *
 * A flow has two ends and each direction has a path of its own. The host that waits for an acknowledgement
 * cannot tell which direction failed. So every segment carries, beside its own selector, an echo: the
 * selector of the last segment that came in from the other end. A policy may send one segment on two paths
 * at once and settle, by the echo, on one that works.
 */
import type { Random } from "../base/index.js";
import type { Failover } from "./pecmp/hosts.js";
import type { SelectorLayout } from "./pecmp/layout.js";
import type { OffsetSet } from "./pecmp/selectors.js";

export interface FlowKey {
  /** IPv4 or IPv6 address. */
  readonly src: bigint;
  readonly dst: bigint;
  /** 6 TCP, 17 UDP. */
  readonly protocol: number;
  readonly srcPort: number;
  readonly dstPort: number;
}

/** What a path chooser needs to know of a segment that came in. */
export interface SegmentMarks {
  /** Selector that the segment carried. */
  readonly selector: number;
  /** Selector of the last of our segments that the other end had received when it sent this one. */
  readonly echo: number;
}

/** Chooses the selectors of what one end of one flow sends. */
export interface PathChooser {
  /** Selector of an ordinary segment. */
  readonly selector: number;
  /**
   * The retransmission timer ran out, for the `attempt`-th time since the last progress (1 is the first).
   * Returns the selectors of the retransmission: the segment is sent once on each, in this order.
   */
  onTimeout(attempt: number): readonly number[];
  /** An acknowledgement of new data came in. */
  onAck(segment: SegmentMarks): void;
  /**
   * Data came in; `duplicate`: nothing of it was new. Returns the selectors of the acknowledgement: it is
   * sent once on each, in this order.
   */
  onData(segment: SegmentMarks, duplicate: boolean): readonly number[];
}

/**
 * A policy as plain JSON, with everything that its choosers and its choice of a NIC need: hosts outside of this
 * process (`mininet/agent/policy.py`) make the same policy of it.
 */
export type PolicyDescription =
  /** Never re-paths; sends on `selector`, by the NIC that the hash of the five-tuple tells. */
  | { readonly kind: "fixed"; readonly selector: number }
  /** Draws a new selector below `values` at each sign of loss. */
  | { readonly kind: "prr"; readonly values: number }
  | {
      readonly kind: "pecmp";
      readonly failover: Failover;
      readonly layout: SelectorLayout;
      readonly offsets: OffsetSet;
    };

export interface HostPolicy {
  readonly name: string;
  readonly description: PolicyDescription;
  /** State of one end of a flow; `flow` is the tuple as this end sends it. */
  open(flow: FlowKey, random: Random): PathChooser;
  /** Which of a host's `nics` NICs (0-based) a packet leaves by. */
  nic(flow: FlowKey, selector: number, nics: number): number;
}

/** An end that never changes its selector. */
export function fixedPath(selector: number): PathChooser {
  return { selector, onTimeout: () => [selector], onAck: () => {}, onData: () => [selector] };
}
