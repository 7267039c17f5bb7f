/** What a TCP connection is made with. Both ends of a connection that is opened without a handshake have the same. */
import type { RetransmissionOptions } from "../retransmission-timer.js";
import type { CongestionControlMaker } from "./congestion/congestion-control.js";

export interface DelayedAckOptions {
  /** Segments of data that one acknowledgement answers; RFC 5681 allows 2 at most. */
  segments: number;
  /** Nanoseconds that an acknowledgement waits for a further segment. */
  timeout: number;
}

/**
 * Which subflow sends the next segment of those that could: in turn; the one with the shortest smoothed round trip; or all send
 * everything.
 */
export const SUBFLOW_SCHEDULERS = ["round_robin", "least_rtt", "redundant"] as const;
export type SubflowScheduler = (typeof SUBFLOW_SCHEDULERS)[number];

export interface TcpOptions extends RetransmissionOptions {
  readonly protocol: "tcp";
  /** Payload bytes of a full segment. */
  segmentBytes: number;
  congestionControl: CongestionControlMaker;
  /** Full segments. */
  initialWindow: number;
  /** Bytes that the receiver keeps out of order, or for an application that does not read. */
  receiveBuffer: number;
  delayedAck: DelayedAckOptions;
  /**
   * `off`: packets say that they cannot be marked, unless the host's policy wants marks. `classic`: RFC 3168. `accurate`: each
   * acknowledgement tells whether what it answers was marked (RFC 8257, section 3.2).
   */
  ecn: "off" | "classic" | "accurate";
  /** Selective acknowledgements (RFC 2018, 2883, 6675). */
  sack: boolean;
  /** Loss detection by time with tail loss probes (RFC 8985); needs `sack`. */
  rack: boolean;
  /** The sender expects reordering from the beginning: its reordering window is never zero. Needs `rack`. */
  reordering: boolean;
  /** Connections begin with a SYN; without it both ends are open at once. */
  handshake: boolean;
  /**
   * Several connections carry one stream (`multipath.ts`); needs `handshake`. Absent: one does. `ports`: each has a port of its own, or
   * all have one five-tuple, so that switches hash them alike and selectors alone tell their paths apart.
   */
  subflows?: {
    readonly count: number;
    readonly scheduler: SubflowScheduler;
    readonly ports?: "own" | "shared";
  };
  /** Nanoseconds that a connection that finished first stays, to answer a FIN that comes again; 0: not at all. */
  timeWait: number;
  /** Nanoseconds without an answer after which a connection is given up (R2 of RFC 9293, section 3.8.3). */
  userTimeout: number;
}
