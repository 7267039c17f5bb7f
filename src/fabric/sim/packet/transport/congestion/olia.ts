/**
 * Opportunistic linked increases (R. Khalili, N. Gast, M. Popovic, J.-Y. Le Boudec: MPTCP is not Pareto-optimal, CoNEXT 2012,
 * section IV; draft-khalili-mptcp-congestion-control-05): as LIA, plus a term that moves window from the subflows with the
 * largest windows to the best paths that have small ones.
 */
import type { AckSample, SubflowView } from "./congestion-control.js";
import { CoupledControl, steadyWindowOf } from "./coupled.js";

export class Olia extends CoupledControl {
  readonly name = "olia";
  /** Bytes delivered between the last two losses, and since the last one. */
  #between = 0;
  #since = 0;

  /** l of the paper: an estimate of the bytes between two losses on this path. */
  get lossInterval(): number {
    return Math.max(this.#between, this.#since);
  }

  override onAck(sample: AckSample): void {
    this.#since += sample.deliveredBytes;
    super.onAck(sample);
  }

  protected override reducedThreshold(flightSize: number): number {
    this.#between = this.#since;
    this.#since = 0;
    return super.reducedThreshold(flightSize);
  }

  /** Equation 5 of the paper, in bytes: (w / rtt^2) / (sum of w / rtt)^2 + alpha / w segments for each segment. */
  protected increase(subflows: readonly SubflowView[], own: SubflowView, bytes: number): number {
    let rates = 0;
    let largest = 0;
    let best = 0;
    let count = 0;
    for (let i = 0; i < subflows.length; i++) {
      const view = subflows[i]!;
      if (view.smoothedRttNs <= 0) continue;
      const window = steadyWindowOf(view.control);
      count++;
      rates += window / view.smoothedRttNs;
      largest = Math.max(largest, window);
      best = Math.max(best, quality(view));
    }
    const rtt = own.smoothedRttNs;
    const linked = (this.cwnd / (rtt * rtt) / (rates * rates)) * this.mss;
    const opportunistic = this.#alpha(subflows, own, count, largest, best) / (this.cwnd / this.mss);
    return (linked + opportunistic) * bytes;
  }

  /** Equation 6: positive on best paths with small windows, negative on the largest windows, together zero. */
  #alpha(
    subflows: readonly SubflowView[],
    own: SubflowView,
    count: number,
    largest: number,
    best: number,
  ): number {
    let collected = 0;
    let widest = 0;
    for (let i = 0; i < subflows.length; i++) {
      const view = subflows[i]!;
      if (view.smoothedRttNs <= 0) continue;
      if (steadyWindowOf(view.control) === largest) widest++;
      else if (quality(view) === best) collected++;
    }
    if (collected === 0) return 0;
    if (this.cwnd === largest) return -1 / (count * widest);
    return quality(own) === best ? 1 / (count * collected) : 0;
  }
}

/** Orders paths by the rate that Reno would have on them, which is proportional to sqrt(l) / rtt. */
function quality({ control, smoothedRttNs }: SubflowView): number {
  return control instanceof Olia ? control.lossInterval / (smoothedRttNs * smoothedRttNs) : 0;
}
