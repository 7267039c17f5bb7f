/**
 * The choices of a host: the selector of each segment that it sends, and the NIC that sends the segment.
 *
 * A flow has two ends, and each direction has a path of its own. The host that waits for an acknowledgement
 * does not know which direction failed. So every segment carries, beside its own selector, an echo: the
 * selector of the last segment that came in from the other end. A policy may send one segment on two paths
 * at once, and then keep the one that the echo shows to work.
 */
import type { Random } from "../base/index.js";

/** The five-tuple of a flow, as one of its ends sends it. */
export interface FlowKey {
  /** IPv4 or IPv6 address. */
  readonly src: bigint;
  readonly dst: bigint;
  /** 6 TCP, 17 UDP. */
  readonly protocol: number;
  readonly srcPort: number;
  readonly dstPort: number;
}

/** The path information of a received segment. */
export interface SegmentMarks {
  /** Selector that the segment carried. */
  readonly selector: number;
  /** Selector of this end's last segment that the other end had received when it sent this one. */
  readonly echo: number;
}

/** Chooses the selectors of the segments that one end of one flow sends. */
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
   * Data came in; `duplicate`: all of it was known. Returns the selectors of the acknowledgement: it is
   * sent once on each, in this order.
   */
  onData(segment: SegmentMarks, duplicate: boolean): readonly number[];
}

export interface HostPolicy {
  /** State of one end of a flow; `flow` is the tuple as this end sends it. */
  open(flow: FlowKey, random: Random): PathChooser;
  /** The NIC that sends a packet: 0-based, below `nics`. */
  nic(flow: FlowKey, selector: number, nics: number): number;
}

/**
 * A policy as plain JSON, with all parameters of its choosers and of its choice of a NIC. The agent on a host, which is
 * another process, restores the policy from it (`hostPolicyOf` in `schemes`). `kind` names the policy.
 */
export interface PolicyDescription {
  readonly kind: string;
  readonly [parameter: string]: unknown;
}

/** An end that never changes its selector. */
export function fixedPath(selector: number): PathChooser {
  return { selector, onTimeout: () => [selector], onAck: () => {}, onData: () => [selector] };
}
