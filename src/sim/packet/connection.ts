/** One end of a reliable byte stream as hosts and experiments see it, whichever protocol moves the bytes. */
import type { FlowKey, PathChooser } from "../../hosts/index.js";
import type { Segment } from "./frames.js";
import type { RetransmissionTimeout } from "./retransmission-timer.js";

/** Something that its host wakes. */
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

/** What a connection asks of its host. */
export interface ConnectionHost {
  /** Virtual time in nanoseconds. */
  now(): number;
  /**
   * Sends a frame by the NIC that the host's policy picks for the selector. Returns the time when its last bit leaves the
   * host.
   */
  transmit(connection: Connection, frame: Uint8Array, selector: number): number;
  /** Wakes it by {@link Timed.onTimer} at or before the deadline that it has then. */
  setTimer(timed: Timed): void;
  /** Wakes it by {@link Timed.onSoon} at or before the {@link Timed.soon} that it has then. */
  setSoon(timed: Timed): void;
  /** Forgets the connection: nothing that arrives is given to it any more. */
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

/** What an experiment can watch; times come from the simulation. */
export interface ConnectionListener {
  /** The connection can carry data both ways. */
  established?(): void;
  /** The retransmission timer ran out, for the `attempt`-th time since the last progress. */
  timedOut?(attempt: number): void;
  /** New data was acknowledged after `attempts` timeouts in a row. */
  recovered?(attempts: number): void;
  /** New data came in, in order; `bytes` in all since the connection began. */
  received?(bytes: number): void;
  /** All data that was to be sent has been acknowledged. */
  finished?(): void;
  /** The other end will send no more data. Without this method the connection finishes its own direction too. */
  peerFinished?(): void;
  /** The connection is no more, once. */
  closed?(reason: CloseReason): void;
}

/** Counts since the connection began. */
export class ConnectionCounters {
  /** Segments of data, those that were sent again included; and their payload. */
  segmentsSent = 0;
  bytesSent = 0;
  /** Segments of data that were sent again, each copy. */
  retransmissions = 0;
  /** The retransmission timer ran out, for data, a SYN or a FIN. */
  timeouts = 0;
  /** Times that a loss was repaired without a timeout: recoveries that duplicate acknowledgements, SACK or RACK began. */
  fastRetransmits = 0;
  /** Segments and acknowledgements that the path chooser asked for beyond one for a timeout or a received segment. */
  copiesSent = 0;
  /** Segments of new data that came in below the highest received, and the furthest of them, in bytes. */
  reordered = 0;
  maxReorderingBytes = 0;
  /** Segments of data that came in marked (CE). */
  marked = 0;
}

/** A byte stream to another host. */
export interface Stream {
  /** Of a connection with several subflows: of the first. */
  readonly flow: FlowKey;
  readonly counters: ConnectionCounters;
  listener: ConnectionListener;
  readonly bytesAcknowledged: number;
  /** `PathChooser.repaths` of all its choosers; undefined where none counts. */
  readonly repaths: number | undefined;
  /** In order. */
  readonly bytesReceived: number;
  /** Adds data to send; Infinity for a flow without an end. */
  send(bytes: number): void;
  /** No more data will be added: ends this direction after what was added. */
  finish(): void;
  /** Stops at once: nothing more is sent, what arrives is ignored. */
  close(): void;
}

export interface Connection extends Stream, Timed {
  readonly chooser: PathChooser;
  readonly timeout: RetransmissionTimeout;
  /** When new data was acknowledged last, or when the connection began to send again with nothing in flight. */
  readonly progressAt: number;
  receive(segment: Segment, selector: number): void;
}
