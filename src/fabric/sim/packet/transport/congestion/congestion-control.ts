/**
 * The interface of congestion controls: the events of a connection, and the decisions: how many bytes may be in flight, and
 * how fast they leave. The sender (`../sender.ts`) finds losses, retransmits and counts; it does not depend on a particular control.
 */
import type { Random } from "../../../../../base/index.js";

/**
 * The content of one acknowledgement. A connection reuses one object of this kind for all acknowledgements: a
 * control reads it at once and keeps no reference. Sizes in bytes of payload, times in nanoseconds.
 */
export interface AckSample {
  nowNs: number;
  /** Newly delivered by this acknowledgement, cumulatively or by SACK. */
  deliveredBytes: number;
  /** Delivered since the connection began. */
  totalDelivered: number;
  /** Round trip of the newest segment that is newly acknowledged and was sent once (Karn's rule); -1 where there is none. */
  rttNs: number;
  /** Smoothed round trip (RFC 6298), this sample included; -1 before the first. */
  smoothedRttNs: number;
  /** In flight (pipe of RFC 6675) before and after this acknowledgement. */
  priorInFlight: number;
  inFlight: number;
  /** Found lost by this acknowledgement. */
  lostBytes: number;
  /** The cumulative acknowledgement number rose. */
  advanced: boolean;
  /**
   * It may open a window: the cumulative acknowledgement number rose (RFC 5681, section 3.1), or reordering was seen on this
   * connection, where data that SACK blocks report are no sign of a loss (as in Linux).
   */
  mayGrow: boolean;
  /** The acknowledgement carried ECE. With the feedback of RFC 8257 all that it acknowledges was marked then. */
  marked: boolean;
  /** Fast recovery, or recovery after a timeout, is in progress. */
  inRecovery: boolean;
  /** The control's window kept the sender from sending since the last acknowledgement: only then the window may grow (RFC 9438, section 5.8). */
  windowLimited: boolean;
  /** Delivery rate (draft-cheng-iccrg-delivery-rate-estimation) in bytes per second; -1 where there is no sample. */
  deliveryRate: number;
  /** The rate sample was taken while the sender had too little data to send. */
  appLimited: boolean;
  /** This acknowledgement began a new round trip: it acknowledges data that were sent after the last round began. */
  roundStart: boolean;
}

export interface CongestionControl {
  readonly name: string;
  /** Bytes that may be in flight. */
  readonly window: number;
  /** Bytes: the window outside of recovery, which recovery ends with; absent where no threshold follows from the flight. */
  readonly steadyWindow?: number;
  /** Bytes per second; Infinity: segments leave as soon as the window allows. */
  readonly pacingRate: number;
  /** Several SYNs were lost before the connection opened: it begins with a window of one segment. */
  onLostHandshake?(): void;
  /** Every acknowledgement that delivered data, in order of arrival; after `onLoss` where it began a recovery. */
  onAck(sample: AckSample): void;
  /**
   * Fast recovery begins: a loss was found by SACK, RACK or duplicate acknowledgements. Once a window.
   *
   * @param flightSize FlightSize of RFC 5681: sent and not yet cumulatively acknowledged, before this acknowledgement; at most
   *   {@link steadyWindow} and three segments
   * @param inFlight pipe, after the lost bytes were taken out
   */
  onLoss(nowNs: number, flightSize: number, inFlight: number, lostBytes: number): void;
  /** All data that were outstanding when the recovery began are acknowledged; also after a timeout. */
  onRecovered(nowNs: number): void;
  /** The retransmission timer expired; `first`: for the first time since progress. */
  onTimeout(nowNs: number, flightSize: number, first: boolean): void;
  /** ECE of RFC 3168 arrived, at most once per window. Controls that read `marked` themselves (DCTCP) have no such method. */
  onCongestion?(nowNs: number, flightSize: number): void;
  /** The last `onLoss` or `onTimeout` was spurious: no data were lost (RFC 4015, DSACK, timestamps). */
  onUndo?(nowNs: number): void;
  /** Data are sent again after nothing was in flight for at least one retransmission timeout. */
  onIdle?(idleNs: number): void;
}

/** A subflow of a multipath connection, as coupled congestion controls see it. */
export interface SubflowView {
  readonly control: CongestionControl;
  /** -1 before the first sample. */
  readonly smoothedRttNs: number;
}

/** All subflows of a multipath connection that can carry data; the control's own subflow is the one with `control === this`. */
export interface SubflowGroup {
  readonly subflows: readonly SubflowView[];
}

export interface CongestionControlOptions {
  /** Payload bytes of a full segment. */
  readonly mss: number;
  /** Bytes. */
  readonly initialWindow: number;
  /** Virtual time in nanoseconds. */
  readonly now: () => number;
  readonly random: Random;
  /** Present on subflows. */
  readonly siblings?: SubflowGroup;
}

export type CongestionControlMaker = (options: CongestionControlOptions) => CongestionControl;
