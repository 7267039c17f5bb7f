/**
 * The meaning of load. Load is payload that is offered, as a share of a capacity:
 *
 * - `host_links`: the links of the hosts that send or of the hosts that receive, whichever is less. In all patterns in which
 *   every host sends and receives this is the mean utilisation of a host's link in one direction. At load 1 the links of one
 *   side are full on average.
 * - `core`: the links from the racks to other switches, of the racks that send or of those that receive, whichever is less,
 *   by the payload that goes from one rack to another.
 *
 * Payload is the bytes of the flows: headers, acknowledgements and retransmissions come on top of it. A link with a rate in packets
 * has the capacity of that number of full segments.
 */
import type { Topology } from "../topology/index.js";
import type { Place } from "./flow.js";
import type { Spread } from "./patterns/pattern.js";

export type LoadBase = "host_links" | "core";

/**
 * Bits of payload per second that all hosts together offer at a load of 1. 0: no flow of the pattern crosses the core.
 * `segmentBytes`: payload of a full segment, for links with a rate in packets.
 */
export function capacityBps(
  base: LoadBase,
  spread: Spread,
  topology: Topology,
  segmentBytes: number,
): number {
  const rateOf = (index: number): number => {
    const { rateBps, ratePps = Number.POSITIVE_INFINITY } = topology.links[index]!;
    return topology.down?.has(index) ? 0 : Math.min(rateBps, 8 * segmentBytes * ratePps);
  };
  const { senders, receivers, interRackShare } = spread;
  if (base === "host_links")
    return Math.min(hostLinksBps(senders, topology, rateOf), hostLinksBps(receivers, topology, rateOf));
  if (interRackShare === 0) return 0;
  const sides = [senders, receivers].map((places) => uplinksBps(places, topology, rateOf));
  return Math.min(...sides) / interRackShare;
}

/** Bits of payload per second of a link, by its index. */
type RateOf = (link: number) => number;

/** Of all NICs of these hosts, one direction. */
function hostLinksBps(places: readonly Place[], topology: Topology, rateOf: RateOf): number {
  let sum = 0;
  for (const { host } of places) for (const { link } of topology.nodes[host]!.ports) sum += rateOf(link);
  return sum;
}

/** Of the links between a switch of these places' racks and a switch that is not of the same rack, one direction. */
function uplinksBps(places: readonly Place[], topology: Topology, rateOf: RateOf): number {
  let sum = 0;
  for (const index of new Set(places.map(({ rack }) => rack))) {
    const { switches } = topology.racks[index]!;
    for (const node of switches)
      for (const { link, peer } of topology.nodes[node]!.ports)
        if (topology.nodes[peer]!.role !== "host" && !switches.includes(peer)) sum += rateOf(link);
  }
  return sum;
}
