/** Interface of traffic patterns: the pairs of senders and receivers. */
import type { Random } from "../../../base/index.js";
import type { Place } from "../flow.js";

/** The places that carry load under a pattern, and the share of the payload between racks. */
export interface Spread {
  /** In the order of the hosts, each once. */
  readonly senders: readonly Place[];
  readonly receivers: readonly Place[];
  /** 0 to 1: the share of the flows, in expectation, whose ends are in different racks. */
  readonly interRackShare: number;
}

/** A pattern of single flows: draws source and destination, which differ, as indexes of hosts in `Topology.nodes`. */
export interface Pattern extends Spread {
  draw(random: Random): readonly [source: number, destination: number];
}
