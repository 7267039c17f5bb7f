/** Flows that each have a path of their own, or several: one bundle for each subflow. */
import type { Random } from "../../../base/index.js";
import type { ActiveBundles } from "./active-bundles.js";
import type { FlowEnd, FlowStart, Population } from "./population.js";

/** Relative slack of comparisons of bytes. */
const SLACK = 1e-9;

interface OpenFlow {
  /** Bundles of its subflows. */
  readonly subflows: readonly number[];
  left: number;
  readonly admittedNs: number;
  /** Rate of the slower of its two NICs, bytes per nanosecond. */
  readonly most: number;
}

/**
 * A flow of k subflows sends over all of them at once, and ends when they have sent all its bytes together. Each subflow has the weight
 * 1 / k, so that on a common bottleneck they get the share of one flow; NIC capacity that one subflow cannot use goes to the others.
 * This models the coupled congestion control of MPTCP (RFC 6356), which takes at most the share of one flow on a shared bottleneck.
 */
export class SingleFlows implements Population {
  readonly #flows: OpenFlow[] = [];

  constructor(
    private readonly active: ActiveBundles,
    private readonly subflows: number,
    private readonly random: Random,
    private readonly ended: FlowEnd,
  ) {}

  get open(): number {
    return this.#flows.length;
  }

  admit(flows: readonly FlowStart[], nowNs: number): void {
    for (const flow of flows) this.#admit(flow, nowNs);
  }

  #admit({ source, destination, bytes }: FlowStart, nowNs: number): void {
    const { active, subflows } = this;
    const { bundles, network } = active;
    const { rackOf, upLink, downLink, nic } = network;
    const own: number[] = [];
    for (let i = 0; i < subflows; i++) {
      const bundle = active.add(
        upLink[source]!,
        downLink[destination]!,
        rackOf[source]!,
        rackOf[destination]!,
      );
      bundles.hash[bundle] = this.random.uint32();
      active.start(bundle, 1 / subflows);
      own.push(bundle);
    }
    const most = Math.min(nic[source]!, nic[destination]!);
    this.#flows.push({ subflows: own, left: bytes, admittedNs: nowNs, most });
  }

  limit(stepNs: number): void {
    const { limit, weight } = this.active.bundles;
    for (const { subflows, left, most } of this.#flows) {
      const speed = Math.min(most, left / stepNs);
      // One subflow alone may carry the whole flow.
      for (const bundle of subflows) limit[bundle] = speed / weight[bundle]!;
    }
  }

  serve(nowNs: number, stepNs: number): number {
    const { rate, weight } = this.active.bundles;
    const flows = this.#flows;
    let sent = 0;
    for (let i = flows.length - 1; i >= 0; i--) {
      const flow = flows[i]!;
      let speed = 0;
      for (const bundle of flow.subflows) speed += rate[bundle]! * weight[bundle]!;
      // A flow whose limit is its remaining bytes ends with the step, in spite of rounding errors.
      const ends = speed * stepNs >= flow.left * (1 - SLACK);
      const time = ends ? Math.min(stepNs, flow.left / speed) : stepNs;
      for (const bundle of flow.subflows) this.active.sent(bundle, rate[bundle]! * weight[bundle]! * time);
      sent += speed * time;
      if (!ends) {
        flow.left -= speed * time;
        continue;
      }
      for (const bundle of flow.subflows) {
        this.active.end(bundle);
        this.active.remove(bundle);
      }
      this.ended(flow.admittedNs, nowNs + time);
      // The order of the list determines only the order of these calls.
      flows[i] = flows[flows.length - 1]!;
      flows.pop();
    }
    return sent;
  }
}
