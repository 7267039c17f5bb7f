/**
 * The common part of the coupled controls of multipath transports: they are Reno on each subflow, but their increase in congestion
 * avoidance depends on all subflows of the connection.
 */
import { AdditiveIncrease } from "./additive-increase.js";
import type {
  AckSample,
  CongestionControl,
  CongestionControlOptions,
  SubflowGroup,
  SubflowView,
} from "./congestion-control.js";

export abstract class CoupledControl extends AdditiveIncrease {
  protected readonly group: SubflowGroup | undefined;

  constructor(options: CongestionControlOptions) {
    super(options);
    this.group = options.siblings;
  }

  /** Bytes to open the window by when `bytes` were acknowledged; `own` is this control's subflow. */
  protected abstract increase(subflows: readonly SubflowView[], own: SubflowView, bytes: number): number;

  protected override avoidCongestion(sample: AckSample, bytes: number): void {
    const subflows = this.group?.subflows;
    const own = subflows === undefined ? undefined : this.#own(subflows);
    // A single flow, or no round trip yet: both algorithms are then equal to Reno.
    if (subflows === undefined || own === undefined || own.smoothedRttNs <= 0) {
      super.avoidCongestion(sample, bytes);
      return;
    }
    this.cwnd = Math.max(this.cwnd + this.increase(subflows, own, bytes), this.mss);
  }

  onCongestion(_nowNs: number, flightSize: number): void {
    this.reduceForMark(flightSize);
  }

  #own(subflows: readonly SubflowView[]): SubflowView | undefined {
    for (let i = 0; i < subflows.length; i++) if (subflows[i]!.control === this) return subflows[i];
    return undefined;
  }
}

/** Bytes; a subflow in recovery counts with its window after the recovery (RFC 6356, section 3). */
export function steadyWindowOf(control: CongestionControl): number {
  return control.steadyWindow ?? control.window;
}
