/**
 * The choices of a host: the selector of each segment that it sends, and the NIC that sends the segment.
 *
 * A flow has two ends, and each direction has a path of its own. The host that waits for an acknowledgement
 * does not know which direction failed. So every segment carries, beside its own selector, an echo: the
 * selector of the last segment that came in from the other end. A policy may send one segment on two paths
 * at once, and then keep the one that the echo shows to work.
 */
import type { Json, Random } from "../base/index.js";

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
  /**
   * Whether the data that an acknowledgement answers met congestion: a switch had marked it (CE, RFC 3168). One
   * acknowledgement answers one segment, so its ECE flag says this of that segment (RFC 8257, section 3.2).
   */
  readonly marked?: boolean;
}

/** About one round trip: it ends when data that were next to send at its beginning are acknowledged (RFC 8257, section 3.3). */
export interface Round {
  readonly ackedBytes: number;
  /** How many of them were acknowledged with {@link SegmentMarks.marked}. */
  readonly markedBytes: number;
  readonly durationNs: number;
}

/** An ordinary segment of data that is about to be sent. */
export interface NextSegment {
  /** Position in the stream of its first byte. */
  readonly position: number;
  readonly bytes: number;
  readonly nowNs: number;
}

/** Chooses the selectors of the segments that one end of one flow sends. */
export interface PathChooser {
  /** Selector of an ordinary segment. */
  readonly selector: number;
  /** How often this end has left its path for a reason other than a timeout; absent: it does not count. */
  readonly repaths?: number;
  /**
   * The retransmission timer ran out, for the `attempt`-th time since the last progress (1 is the first).
   * Returns the selectors of the retransmission: the segment is sent once on each, in this order.
   */
  onTimeout(attempt: number): readonly number[];
  /** An acknowledgement of new data came in; `rttNs` where it answers a segment whose round trip was measured. */
  onAck(segment: SegmentMarks, rttNs?: number): void;
  /**
   * Data came in; `duplicate`: all of it was known. Returns the selectors of the acknowledgement: it is
   * sent once on each, in this order.
   */
  onData(segment: SegmentMarks, duplicate: boolean): readonly number[];
  /** Selector of the segment that is sent next, instead of {@link selector}: for policies that decide a packet. */
  selectorFor?(segment: NextSegment): number;
  /** Three duplicate acknowledgements came in. Returns the selectors of the copies of the retransmission. */
  onFastRetransmit?(): readonly number[];
  /** A round ended; after the {@link onAck} that ended it. */
  onRound?(round: Round): void;
  /** Data are sent again after nothing was in flight for at least one retransmission timeout. */
  onIdle?(idleNs: number): void;
  /**
   * Whether new data wait until all that was sent is acknowledged: what is lost is sent again meanwhile. A chooser that is about to
   * change its path so leaves no packet behind that a later one could overtake.
   */
  readonly holds?: boolean;
  /** All data that was sent is acknowledged; before the next data leave. */
  onDrained?(): void;
  /** New data came in below the highest received, so many bytes late: reordered, or sent again after a loss. */
  onReordering?(bytes: number): void;
}

/** What a planner has given to a flow before it opened (`Scheme.assign`). */
export interface FlowAssignment {
  /** From 1 to 65535; absent: as without a planner. */
  readonly sourcePort?: number;
  /** Selector of the client's segments, until its policy leaves the path. */
  readonly selector?: number;
}

/** Which end of a connection a chooser belongs to, and which of its subflows. */
export interface ConnectionEnd {
  /** The client sends the first segment. */
  readonly role: "client" | "server";
  /** Number of the subflow from 0, and how many the connection has at this moment; 0 of 1 without multipath. */
  readonly subflow: number;
  readonly subflows: number;
  /** Of a client whose flow was known in advance, where the scheme plans such flows. */
  readonly assignment?: FlowAssignment;
  /** Bytes that the application is about to send, where it has said so before; of all subflows together. */
  readonly bytes?: number;
}

/** The ends of a connection without subflows. */
export const CLIENT: ConnectionEnd = { role: "client", subflow: 0, subflows: 1 };
export const SERVER: ConnectionEnd = { role: "server", subflow: 0, subflows: 1 };

/**
 * What a policy may need to see, or to decide, beside timeouts, acknowledgements and data. `rounds`, `idle`, `reordering` and
 * `fast-retransmit` are the methods of {@link PathChooser} with such names. `marks`: {@link SegmentMarks.marked}. `rtt`: the
 * round-trip times of {@link PathChooser.onAck}. `packets`: {@link PathChooser.selectorFor}. `holding`: {@link
 * PathChooser.holds} and {@link PathChooser.onDrained}. `source-ports`: {@link HostPolicy.sourcePort}. `assignments`: {@link ConnectionEnd.assignment}. `carrier`: {@link HostPolicy.onCarrier}. `messages`: {@link HostPolicy.onMessage} and `tell`.
 */
export const SIGNALS = [
  "rounds",
  "idle",
  "reordering",
  "fast-retransmit",
  "marks",
  "rtt",
  "packets",
  "holding",
  "source-ports",
  "assignments",
  "carrier",
  "messages",
] as const;
export type Signal = (typeof SIGNALS)[number];

/** What one host does. A scheme makes one for each host, so it may keep state beside its choosers. */
export interface HostPolicy {
  /** State of one end of a flow; `flow` is the tuple as this end sends it. */
  open(flow: FlowKey, random: Random, end: ConnectionEnd): PathChooser;
  /** The NIC that sends a packet: 0-based, below `nics`. */
  nic(flow: FlowKey, selector: number, nics: number): number;
  /** Whether packets say that they can be marked, ECT(0); false unless given. */
  readonly ecn?: boolean;
  /** Whether packets leave as the kernel makes them, on any of several NICs by `nic`: no selector but 0, nothing is heard or sent twice. */
  readonly plain?: boolean;
  /** What this policy cannot do without; an engine that cannot give it refuses the scheme before anything starts. */
  readonly needs?: readonly Signal[];
  /**
   * Source port of a connection that this host is about to open, from 1 to 65535. `flow` has the port that it gets
   * otherwise, which is free. A port that another connection to the same peer has cannot be used.
   */
  sourcePort?(flow: FlowKey, end: ConnectionEnd, random: Random): number;
  /** A NIC lost its carrier, or has it again. Packets that the policy still sends there are lost. */
  onCarrier?(nic: number, up: boolean): void;
  /** A controller asks; the returned value is the answer. */
  onMessage?(message: Json): Json;
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
