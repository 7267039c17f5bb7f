/** The work of a switch's software at the end of an epoch (Dahu, section 4.3.2): measured traffic in, remapped virtual ports out. */
import type { Balancer, PortTraffic } from "./allocation.js";
import type { PortGroups, Remap } from "./port-groups.js";
import { FirstFit } from "./remap.js";

/** Balances switches one after the other; its scratch memory fits the largest. */
export class Rebalancing {
  #target = new Float64Array(0);
  readonly #firstFit = new FirstFit();

  constructor(private readonly balancer: Balancer) {}

  /** `moved` is called for each virtual port that was remapped. */
  rebalance(groups: PortGroups, measured: PortTraffic, moved?: (remap: Remap) => void): void {
    const size = measured.byGroup.length;
    if (this.#target.length !== size) this.#target = new Float64Array(size);
    this.balancer.balance(groups, measured, this.#target);
    this.#firstFit.remap(groups, measured, this.#target, moved);
  }
}
