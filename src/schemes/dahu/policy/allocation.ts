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
}

/**
 * A balanced allocation: computes the traffic that each group should send to each of its members, into `target` (indexes as in
 * {@link PortTraffic.byGroup}), without changing the measured traffic. The total of each group does not change.
 */
export interface Balancer {
  balance(groups: PortGroups, measured: PortTraffic, target: Float64Array): void;
}
