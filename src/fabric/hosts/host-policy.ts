import type { Json, Random } from "../../base/index.js";
import type { FlowKey } from "../../base/packets/index.js";

/** The path information of a received segment. */
export interface SegmentMarks {
  /** Selector that the segment carried. */
  readonly selector: number;
  /** Selector of this end's last segment that the other end had received when it sent this one. */
  readonly echo: number;
  /**
   * Whether the data that an acknowledgement answers met congestion: a switch had marked it (CE, RFC 3168). One
   * acknowledgement answers one segment, so its ECE flag refers to that segment (RFC 8257, section 3.2).
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
  /** How often this end has left its path for a reason other than a timeout; absent: it is not counted. */
  readonly repaths?: number;
  /**
   * The retransmission timer expired, for the `attempt`-th time since the last progress (1 is the first).
   * Returns the selectors of the retransmission: the segment is sent once on each, in this order.
   */
  onTimeout(attempt: number): readonly number[];
  /** An acknowledgement of new data came in; `rttNs` where it answers a segment whose round trip was measured. */
  onAck(segment: SegmentMarks, rttNs?: number): void;
  /**
   * Data arrived; `duplicate`: all of it was known. Returns the selectors of the acknowledgement: it is
   * sent once on each, in this order.
   */
  onData(segment: SegmentMarks, duplicate: boolean): readonly number[];
  /** Selector of the segment that is sent next, in place of {@link selector}: for policies that decide for each packet. */
  selectorFor?(segment: NextSegment): number;
  /** Three duplicate acknowledgements came in. Returns the selectors of the copies of the retransmission. */
  onFastRetransmit?(): readonly number[];
  /** A round ended; after the {@link onAck} that ended it. */
  onRound?(round: Round): void;
  /** Data are sent again after nothing was in flight for at least one retransmission timeout. */
  onIdle?(idleNs: number): void;
  /**
   * Whether new data wait until all data in flight are acknowledged; retransmissions do not wait. A chooser that is about to
   * change its path sets it, so that no packet on the old path can be overtaken by a later one.
   */
  readonly holds?: boolean;
  /** Whether the transport is told nothing of the marks of the acknowledgement that came in; read before {@link onAck}. */
  readonly masksMarks?: boolean;
  /** All data that were sent are acknowledged; called before the next data leave. */
  onDrained?(): void;
  /** New data arrived below the highest received, at this distance in bytes: they were reordered, or retransmitted after a loss. */
  onReordering?(bytes: number): void;
}

/** What a planner has assigned to a flow before it opened (`Scheme.assign`). */
export interface FlowAssignment {
  /** From 1 to 65535; absent: as without a planner. */
  readonly sourcePort?: number;
  /** Selector of the client's segments, until its policy leaves the path. */
  readonly selector?: number;
}

/** The end of a connection that a chooser belongs to, and its subflow. */
export interface ConnectionEnd {
  /** The client sends the first segment. */
  readonly role: "client" | "server";
  /** Number of the subflow from 0, and how many the connection has at this moment; 0 of 1 without multipath. */
  readonly subflow: number;
  readonly subflows: number;
  /** For the client of a flow that was known in advance, where the scheme plans such flows. */
  readonly assignment?: FlowAssignment;
  /** Number of bytes that the application will send, where it is known; of all subflows together. */
  readonly bytes?: number;
}

/** The ends of a connection without subflows. */
export const CLIENT: ConnectionEnd = { role: "client", subflow: 0, subflows: 1 };
export const SERVER: ConnectionEnd = { role: "server", subflow: 0, subflows: 1 };

/**
 * What a policy may need to observe or decide in addition to timeouts, acknowledgements and data. `rounds`, `idle`, `reordering` and
 * `fast-retransmit` are the methods of {@link PathChooser} with such names. `marks`: {@link SegmentMarks.marked}. `rtt`: the
 * round-trip times of {@link PathChooser.onAck}. `packets`: {@link PathChooser.selectorFor}. `holding`: {@link
 * PathChooser.holds} and {@link PathChooser.onDrained}. `masking`: {@link PathChooser.masksMarks}. `source-ports`: {@link HostPolicy.sourcePort}. `assignments`: {@link ConnectionEnd.assignment}. `carrier`: {@link HostPolicy.onCarrier}. `reassembly`: {@link
 * HostPolicy.reassembly}. `messages`: {@link HostPolicy.onMessage} and `tell`.
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
  "masking",
  "source-ports",
  "assignments",
  "carrier",
  "reassembly",
  "messages",
] as const;
export type Signal = (typeof SIGNALS)[number];

/** The policy of one host. A scheme makes one for each host, so it may keep state that its choosers share. */
export interface HostPolicy {
  /** State of one end of a flow; `flow` is the tuple as this end sends it. */
  open(flow: FlowKey, random: Random, end: ConnectionEnd): PathChooser;
  /** The NIC that sends a packet: 0-based, below `nics`. */
  nic(flow: FlowKey, selector: number, nics: number): number;
  /** Whether packets carry ECT(0), so that switches may mark them; default: false. */
  readonly ecn?: boolean;
  /** Whether packets leave as the kernel makes them, by the NIC that `nic` chooses: the selector is 0, choosers get no events, no segment is copied. */
  readonly plain?: boolean;
  /** Receivers put the data of a connection in order below TCP: cells of so many bytes may arrive by different paths, and what follows a gap waits at most so long. */
  readonly reassembly?: { readonly cellBytes: number; readonly holdNs: number };
  /** Signals that this policy requires; an engine that lacks one refuses the scheme before anything starts. */
  readonly needs?: readonly Signal[];
  /**
   * Source port of a connection that this host is about to open, from 1 to 65535. `flow` has the port that it would get
   * otherwise, which is free. A port of another connection to the same peer cannot be used.
   */
  sourcePort?(flow: FlowKey, end: ConnectionEnd, random: Random): number;
  /** A NIC lost its carrier, or got it back. Packets that the policy still sends by it are lost. */
  onCarrier?(nic: number, up: boolean): void;
  /** Handles a message of a controller; the returned value is the answer. */
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
