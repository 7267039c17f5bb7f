/**
 * The full load balancing algorithm (Dahu, section 4.4, figure 5): group by group, the traffic of the group is moved among its members
 * until their utilisation by aggregate traffic is equal as far as the group can make it; this repeats until an iteration moves less than a small share.
 */
import { type Balancer, equalPorts, type PortTraffic } from "./allocation.js";
import type { PortGroups } from "./port-groups.js";

/** Iterations end when one moves less than this share of all traffic of the groups. */
const DEFAULT_DELTA = 1e-3;

/** A limit for traffic that converges slowly; an iteration never makes the balance worse. */
const MAX_ITERATIONS = 1000;

/**
 * The step of one group is exact: with the other traffic of each member fixed, the group's traffic fills the members, the lowest
 * first, to a common level. This level is the members' average, which the paper compares with, if no member is above it by other
 * traffic alone. Each step lowers the sum of squares of the ports' traffic or leaves it unchanged, so the iterations converge.
 */
export class FullBalancer implements Balancer {
  #aggregate = new Float64Array(0);
  #capacity: ArrayLike<number> = [];
  #order: number[] = [];

  constructor(private readonly delta = DEFAULT_DELTA) {}

  balance(groups: PortGroups, { byGroup, byPort, capacity }: PortTraffic, target: Float64Array): void {
    target.set(byGroup);
    if (this.#aggregate.length !== byPort.length) this.#aggregate = new Float64Array(byPort.length);
    this.#aggregate.set(byPort);
    this.#capacity = capacity ?? equalPorts(byPort.length);
    let all = 0;
    for (const traffic of byGroup) all += traffic;
    for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
      let moved = 0;
      for (let group = 0; group < groups.groups; group++) moved += this.#pour(groups, group, target);
      if (moved <= this.delta * all) return;
    }
  }

  /** Balances one group; returns the traffic that moved. */
  #pour({ ports, members }: PortGroups, group: number, target: Float64Array): number {
    const aggregate = this.#aggregate;
    const capacity = this.#capacity;
    const utilisation = (port: number) => aggregate[port]! / capacity[port]!;
    const base = group * ports;
    const order = this.#order;
    order.length = 0;
    let left = 0;
    for (let port = 0; port < ports; port++) {
      if (members[base + port] === 0) continue;
      order.push(port);
      left += target[base + port]!;
      aggregate[port]! -= target[base + port]!;
    }
    order.sort((a, b) => utilisation(a) - utilisation(b) || a - b);
    // The utilisation at which the members with the least other traffic take all of the group's traffic.
    let level = 0;
    let sum = left;
    let whole = 0;
    for (const [index, port] of order.entries()) {
      if (index > 0 && level <= utilisation(port)) break;
      sum += aggregate[port]!;
      whole += capacity[port]!;
      level = sum / whole;
    }
    let moved = 0;
    for (const port of order) {
      const own = Math.max(0, level * capacity[port]! - aggregate[port]!);
      moved += Math.max(0, own - target[base + port]!);
      target[base + port] = own;
      aggregate[port]! += own;
    }
    return moved;
  }
}
