/** Who sends to whom. */
import type { Random } from "../../base/index.js";
import type { Place } from "../flow.js";

/** The places that carry load under a pattern, and what share of the payload goes from one rack to another. */
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
