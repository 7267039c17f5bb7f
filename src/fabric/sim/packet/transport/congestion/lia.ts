/** Linked increases for the subflows of one connection (RFC 6356): together they take no more than one flow on the best path. */
import type { SubflowView } from "./congestion-control.js";
import { CoupledControl, steadyWindowOf } from "./coupled.js";

export class Lia extends CoupledControl {
  readonly name = "lia";

  /** RFC 6356, section 3, equations 1 and 2. */
  protected increase(subflows: readonly SubflowView[], _own: SubflowView, bytes: number): number {
    let total = 0;
    let best = 0;
    let rates = 0;
    for (let i = 0; i < subflows.length; i++) {
      const { control, smoothedRttNs: rtt } = subflows[i]!;
      if (rtt <= 0) continue;
      const window = steadyWindowOf(control);
      total += window;
      best = Math.max(best, window / (rtt * rtt));
      rates += window / rtt;
    }
    const alpha = (total * best) / (rates * rates);
    return Math.min((alpha * bytes * this.mss) / total, (bytes * this.mss) / this.cwnd);
  }
}
