import type { FlowKey, Segment } from "../../../base/packets/index.js";
import type { PathChooser } from "../../hosts/index.js";
import type { RetransmissionTimeout } from "./retransmission-timer.js";

/** An object that its host wakes at given times. */
export interface Timed {
  /** Number by which the host's timers find it. */
  readonly index: number;
  /** When {@link onTimer} is due; Infinity when nothing is in flight. */
  readonly deadline: number;
  /** When {@link onSoon} is due: acknowledgements that wait, paced segments. */
  readonly soon: number;
  onTimer(): void;
  onSoon(): void;
}

/** Operations of the host for its connections. */
export interface ConnectionHost {
  /** Virtual time in nanoseconds. */
  now(): number;
  /**
   * Sends a frame by the NIC that the host's policy picks for the selector. Returns the time when its last bit leaves the
   * host. A NIC that can be paused does not know this of a frame that waits: then the time is as if there were no pause, or, of a frame with
   * a tag of 0 or more, Infinity, and {@link Connection.left} gets tag and time.
   */
  transmit(connection: Connection, frame: Uint8Array, selector: number, tag?: number): number;
  /** Sets the timer: the host calls {@link Timed.onTimer} at or before the deadline at that time. */
  setTimer(timed: Timed): void;
  /** Wakes it by {@link Timed.onSoon} at or before the {@link Timed.soon} that it has then. */
  setSoon(timed: Timed): void;
  /** Removes the connection: later packets do not reach it. */
  release(connection: Connection): void;
}

/** Why a connection ended. */
export type CloseReason =
  /** Both ends had finished, and all was acknowledged. */
  | "finished"
  /** The other end refused or reset it. */
  | "reset"
  /** The other end did not answer for the user timeout. */
  | "timed out"
  /** {@link Connection.close} was called. */
  | "closed";

/** Events for an experiment; times come from the simulation. */
export interface ConnectionListener {
  /** The connection can carry data both ways. */
  established?(): void;
  /** The retransmission timer ran out, for the `attempt`-th time since the last progress. */
  timedOut?(attempt: number): void;
  /** New data were acknowledged after `attempts` consecutive timeouts. */
  recovered?(attempts: number): void;
  /** New data arrived in order; `bytes`: the total since the connection began. */
  received?(bytes: number): void;
  /** All data that were to be sent have been acknowledged. */
  finished?(): void;
  /** The other end will send no more data. Without this method the connection finishes its own direction too. */
  peerFinished?(): void;
  /** The connection has ended; called once. */
  closed?(reason: CloseReason): void;
}

/** Counts since the connection began. */
export class ConnectionCounters {
  /** Segments of data, retransmissions included; and their payload. */
  segmentsSent = 0;
  bytesSent = 0;
  /** Retransmitted segments of data; each copy counts. */
  retransmissions = 0;
  /** How often the retransmission timer expired, for data, a SYN or a FIN. */
  timeouts = 0;
  /** How often a loss was repaired without a timeout: recoveries after duplicate acknowledgements, SACK or RACK. */
  fastRetransmits = 0;
  /** Segments and acknowledgements that the path chooser requested beyond one for each timeout or received segment. */
  copiesSent = 0;
  /** Segments of new data that arrived below the highest received, and the greatest distance in bytes. */
  reordered = 0;
  maxReorderingBytes = 0;
  /** Segments of data that arrived marked (CE). */
  marked = 0;
  /** Nanoseconds in which the path chooser kept new data back that could have left. */
  heldNs = 0;
  /** The longest time between two segments of data while new data waited. */
  longestSilenceNs = 0;
}

/** A byte stream to another host. */
export interface Stream {
  /** For a connection with several subflows: of the first one. */
  readonly flow: FlowKey;
  readonly counters: ConnectionCounters;
  listener: ConnectionListener;
  readonly bytesAcknowledged: number;
  /** `PathChooser.repaths` of all its choosers; undefined where none counts. */
  readonly repaths: number | undefined;
  /** Number of bytes received in order. */
  readonly bytesReceived: number;
  /** Adds data to send; Infinity for a flow without an end. */
  send(bytes: number): void;
  /** No more data will be added: closes this direction after the data that were added. */
  finish(): void;
  /** Stops at once: nothing more is sent, what arrives is ignored. */
  close(): void;
}

export interface Connection extends Stream, Timed {
  readonly chooser: PathChooser;
  readonly timeout: RetransmissionTimeout;
  /** Time of the last acknowledgement of new data, or when the connection began to send again with nothing in flight. */
  readonly progressAt: number;
  receive(segment: Segment, selector: number): void;
  /** A frame that was sent with a tag, and that had to wait, begins to leave; its last bit leaves at that time. */
  left?(tag: number, at: number): void;
}
