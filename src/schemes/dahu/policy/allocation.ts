/** What the two ways of computing a balanced allocation share (Dahu, sections 4.3 to 4.5). */
import type { PortGroups } from "./port-groups.js";

/** What a switch has counted in an epoch, in any unit of traffic, the same for all. */
export interface PortTraffic {
  /** Traffic of (group, port) by `group * ports + port`; 0 where the port is no member. */
  readonly byGroup: Float64Array;
  /** All traffic of each port: of all groups, and what no group can move. */
  readonly byPort: Float64Array;
  /**
   * Traffic of each virtual port by `group * virtualPorts + virtualPort`, where the switch counts it; absent: all virtual ports of a
   * member stand for an equal part of its traffic (sections 3.1 and 4.3.2).
   */
  readonly byVirtualPort?: Float64Array;
}

/**
 * A balanced allocation: computes the traffic that each group should send to each of its members, into `target` (indexes as in
 * {@link PortTraffic.byGroup}), and leaves the measured traffic as it is. Each group sends as much in total as was measured.
 */
export interface Balancer {
  balance(groups: PortGroups, measured: PortTraffic, target: Float64Array): void;
}
