/** Acknowledgements made by hand, to drive a congestion control without a network. Segments are of 1000 bytes. */
import { Random } from "../../../../src/base/index.js";
import type {
  AckSample,
  CongestionControl,
  CongestionControlOptions,
} from "../../../../src/fabric/sim/packet/transport/congestion/congestion-control.js";

export const MSS = 1000;
export const MS = 1_000_000;
export const S = 1_000_000_000;

/** Options of a control with an initial window of ten segments. */
export function options(changes: Partial<CongestionControlOptions> = {}): CongestionControlOptions {
  return { mss: MSS, initialWindow: 10 * MSS, now: () => 0, random: new Random(1), ...changes };
}

/** An acknowledgement of one segment by a sender that the window limits; what is given replaces the rest. */
export function sample(changes: Partial<AckSample> = {}): AckSample {
  return {
    nowNs: 0,
    deliveredBytes: MSS,
    totalDelivered: 0,
    rttNs: 100 * MS,
    smoothedRttNs: 100 * MS,
    priorInFlight: 10 * MSS,
    inFlight: 9 * MSS,
    lostBytes: 0,
    advanced: true,
    mayGrow: true,
    marked: false,
    inRecovery: false,
    windowLimited: true,
    deliveryRate: -1,
    appLimited: false,
    roundStart: false,
    ...changes,
  };
}

/** As many acknowledgements of one segment. */
export function acknowledge(
  control: CongestionControl,
  count: number,
  changes: Partial<AckSample> = {},
): void {
  for (let i = 0; i < count; i++) control.onAck(sample(changes));
}

/** A loss with this number of segments outstanding, and its recovery: the control is in congestion avoidance then. */
export function lose(control: CongestionControl, segments: number, nowNs = 0): void {
  control.onLoss(nowNs, segments * MSS, (segments - 1) * MSS, MSS);
  control.onRecovered(nowNs);
}
