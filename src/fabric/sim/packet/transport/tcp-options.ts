/** The options of a TCP connection. Both ends of a connection that is opened without a handshake have the same. */
import type { RetransmissionOptions } from "../retransmission-timer.js";
import type { CongestionControlMaker } from "./congestion/congestion-control.js";

export interface DelayedAckOptions {
  /** Segments of data that one acknowledgement answers; RFC 5681 allows 2 at most. */
  segments: number;
  /** Nanoseconds that an acknowledgement waits for a further segment. */
  timeout: number;
}

/**
 * How the subflow that sends the next segment is chosen: in turn; the one with the shortest smoothed round trip; or all send
 * everything.
 */
export const SUBFLOW_SCHEDULERS = ["round_robin", "least_rtt", "redundant"] as const;
export type SubflowScheduler = (typeof SUBFLOW_SCHEDULERS)[number];

export interface TcpOptions extends RetransmissionOptions {
  readonly protocol: "tcp";
  /** Nanoseconds: the timeout of the first SYN, which doubles up to the cap; absent: `initial` and `cap`, as of data. */
  syn?: { readonly initial: number; readonly cap: number };
  /** Payload bytes of a full segment. */
  segmentBytes: number;
  congestionControl: CongestionControlMaker;
  /** Full segments. */
  initialWindow: number;
  /** Bytes that the receiver keeps out of order, or for an application that does not read. */
  receiveBuffer: number;
  delayedAck: DelayedAckOptions;
  /**
   * `off`: packets are not ECN-capable, unless the host's policy wants marks. `classic`: RFC 3168. `accurate`: each
   * acknowledgement reports whether the data that it answers were marked (RFC 8257, section 3.2).
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
   * all have the same five-tuple, so that switches hash them equally and only selectors distinguish their paths.
   */
  subflows?: {
    readonly count: number;
    readonly scheduler: SubflowScheduler;
    readonly ports?: "own" | "shared";
  };
  /** Nanoseconds for which a connection that finished first stays, to answer a repeated FIN; 0: it is removed at once. */
  timeWait: number;
  /** Nanoseconds without an answer after which a connection is aborted (R2 of RFC 9293, section 3.8.3). */
  userTimeout: number;
}
