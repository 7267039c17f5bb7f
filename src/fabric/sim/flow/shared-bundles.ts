/**
 * Flows that share bundles. Millions of flows cost little: a bundle is routed and served as a whole, and orders its flows
 * by their ends.
 */
import type { ActiveBundles } from "./active-bundles.js";
import { FlowHeaps } from "./flow-heaps.js";
import type { FlowEnd, FlowStart, Population } from "./population.js";

/** How flows are grouped into bundles. */
export interface BundleChoice {
  /**
   * Writes the bundles of flows that start together into `chosen`. `made` is called for each new bundle, with the
   * flow that it was created for.
   */
  choose(
    flows: readonly FlowStart[],
    chosen: Int32Array,
    made: (bundle: number, flow: FlowStart) => void,
  ): void;
  /** The last flow of a bundle has ended. */
  drop(bundle: number): void;
}

/** Relative slack of comparisons of bytes. */
const SLACK = 1e-9;

/**
 * The flows of a bundle share its rate equally; within a step, the rate of an ended flow goes to the others of its bundle.
 * Two limits of hosts hold: no flow exceeds the rate of a NIC, and the hosts of a rack together do not exceed the sum of
 * their NICs. But several flows of one host together may exceed its NIC: bundles cannot prevent it.
 */
export class SharedBundles implements Population {
  open = 0;
  readonly #heaps = new FlowHeaps();
  /** Service of the bundle: bytes for a flow that exists since the beginning. */
  #served = new Float64Array(0);
  /** Rate of a NIC in bytes per nanosecond, by bundle. */
  #most = new Float64Array(0);
  /** Of the flows that are admitted now. */
  #chosen = new Int32Array(0);
  readonly #made = (bundle: number, { source, destination }: FlowStart) => {
    const { bundles, network } = this.active;
    if (bundles.size > this.#served.length) this.#grow(bundles.from.length);
    this.#served[bundle] = 0;
    this.#most[bundle] = Math.min(network.nic[source]!, network.nic[destination]!);
  };

  constructor(
    private readonly active: ActiveBundles,
    private readonly choice: BundleChoice,
    private readonly ended: FlowEnd,
  ) {}

  admit(flows: readonly FlowStart[], nowNs: number): void {
    const { active } = this;
    if (this.#chosen.length < flows.length) this.#chosen = new Int32Array(2 * flows.length);
    this.choice.choose(flows, this.#chosen, this.#made);
    const { weight } = active.bundles;
    for (let i = 0; i < flows.length; i++) {
      const bundle = this.#chosen[i]!;
      this.#heaps.push(bundle, this.#served[bundle]! + flows[i]!.bytes, nowNs);
      if (weight[bundle] === 0) active.start(bundle, 1);
      else weight[bundle]!++;
    }
    this.open += flows.length;
  }

  limit(stepNs: number): void {
    const { size, weight, limit } = this.active.bundles;
    for (let bundle = 0; bundle < size; bundle++) {
      if (weight[bundle] === 0) continue;
      // With several flows, the others get the rate of an ended one.
      const left =
        weight[bundle] === 1
          ? (this.#heaps.leastKey(bundle) - this.#served[bundle]!) / stepNs
          : Number.POSITIVE_INFINITY;
      limit[bundle] = Math.min(this.#most[bundle]!, left);
    }
  }

  #grow(room: number): void {
    const served = new Float64Array(room);
    const most = new Float64Array(room);
    served.set(this.#served);
    most.set(this.#most);
    [this.#served, this.#most] = [served, most];
  }

  serve(nowNs: number, stepNs: number): number {
    const { active } = this;
    const { size, weight, rate } = active.bundles;
    let sent = 0;
    for (let bundle = 0; bundle < size; bundle++) {
      if (weight[bundle] === 0) continue;
      const total = weight[bundle]! * rate[bundle]!;
      let left = stepNs;
      let bytes = 0;
      for (let flows = weight[bundle]!; flows > 0; ) {
        const speed = Math.min(this.#most[bundle]!, total / flows);
        const missing = this.#heaps.leastKey(bundle) - this.#served[bundle]!;
        if (missing * (1 - SLACK) > speed * left) {
          this.#served[bundle]! += speed * left;
          bytes += speed * left * flows;
          break;
        }
        left -= missing > 0 ? Math.min(left, missing / speed) : 0;
        this.#served[bundle]! += missing;
        bytes += missing * flows;
        this.ended(this.#heaps.pop(bundle), nowNs + stepNs - left);
        weight[bundle] = --flows;
        this.open--;
      }
      if (bytes > 0) active.sent(bundle, bytes);
      sent += bytes;
      if (weight[bundle] === 0) {
        active.end(bundle);
        this.choice.drop(bundle);
      }
    }
    return sent;
  }
}
