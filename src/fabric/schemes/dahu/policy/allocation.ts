/** Interface of the two algorithms that compute a balanced allocation (Dahu, sections 4.3 to 4.5). */
import type { PortGroups } from "./port-groups.js";

/** Traffic that a switch has counted in an epoch, all in the same unit. */
export interface PortTraffic {
  /** Traffic of (group, port) by `group * ports + port`; 0 where the port is no member. */
  readonly byGroup: Float64Array;
  /** All traffic of each port: of all groups, and traffic that no group can move. */
  readonly byPort: Float64Array;
  /**
   * Traffic of each virtual port by `group * virtualPorts + virtualPort`, where the switch counts it; absent: all virtual ports of a
   * member have equal parts of its traffic (sections 3.1 and 4.3.2).
   */
  readonly byVirtualPort?: Float64Array;
  /** By port, from {@link relativeCapacities}; absent: all ports have the same rate. */
  readonly capacity?: ArrayLike<number>;
}

/** Rates of ports as shares of the highest: 1 where all are equal, and for a port without a rate, which no group has. */
export function relativeCapacities(rates: ArrayLike<number>): Float64Array {
  let most = 0;
  for (let port = 0; port < rates.length; port++) most = Math.max(most, rates[port]!);
  return Float64Array.from(rates, (rate) => (rate > 0 ? rate / most : 1));
}

const equal: Float64Array[] = [];

/** The relative capacities of so many ports of one rate; not to be changed. */
export function equalPorts(count: number): Float64Array {
  return (equal[count] ??= new Float64Array(count).fill(1));
}

/**
 * A balanced allocation: computes the traffic that each group should send to each of its members, into `target` (indexes as in
 * {@link PortTraffic.byGroup}), without changing the measured traffic. The total of each group does not change. The paper equalises the load
 * of ports, which also balances their headroom (section 4.3): this holds for ports of one rate. Where rates differ, utilisation is equalised.
 */
export interface Balancer {
  balance(groups: PortGroups, measured: PortTraffic, target: Float64Array): void;
}
