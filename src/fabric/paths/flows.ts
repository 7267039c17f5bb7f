/** Flows in columns, and the interface of anything that gives the path of each: the hash functions of switches, or another rule. */

import { fail } from "../../base/index.js";
import { nodeAt, type Topology } from "../topology/index.js";
import { CODES } from "./codes.js";

/** Flows as columns; row i of all columns is flow i. */
export interface FlowColumns {
  readonly size: number;
  /** IP version of all flows. */
  readonly version: 4 | 6;
  /** Node indexes of hosts. */
  readonly source: Int32Array;
  readonly destination: Int32Array;
  readonly protocol: Uint8Array;
  readonly sourcePort: Uint16Array;
  readonly destinationPort: Uint16Array;
  /** The selectors of the packets, for schemes that read them; absent: 0. */
  readonly selector?: Uint32Array;
  /** Index of the NIC that sends, for hosts with several; absent: 0. */
  readonly nic?: Uint8Array;
}

/** Columns of TCP flows over IPv4, for `size` flows; all zero but the protocol. */
export function emptyFlows(size: number, version: 4 | 6 = 4) {
  return {
    size,
    version,
    source: new Int32Array(size),
    destination: new Int32Array(size),
    protocol: new Uint8Array(size).fill(6),
    sourcePort: new Uint16Array(size),
    destinationPort: new Uint16Array(size),
  };
}

/**
 * The links of flows. A link has two directions: number 2 l is link l from its end `a` to its end `b`, number 2 l + 1 the way
 * back.
 */
export interface PathSource {
  /**
   * Writes the directed links that a flow crosses, from the first host to the last, and returns their number; -1 where the flow
   * does not arrive. `out` has room for {@link MAX_LINKS} links.
   */
  linksOf(flow: number, out: Int32Array): number;
}

/** Maximum length of a path: a flow that crosses more links is in a loop. */
export const MAX_LINKS = 64;

/** Number of the directed link from a port of a node. */
export function directedLink(topology: Topology, node: number, port: number): number {
  const { link } = nodeAt(topology, node).ports[port - 1]!;
  const { a } = topology.links[link]!;
  return 2 * link + (a.node === node ? 0 : 1);
}

/**
 * Adds each flow's weight (1 without weights) to the links that it crosses. Returns the number of flows that did not arrive; they load no
 * link. `loads` has two numbers for each link.
 */
export function addLoads(
  source: PathSource,
  flows: number,
  loads: Float64Array,
  weights?: Float64Array,
): number {
  if (weights !== undefined && weights.length < flows)
    fail(CODES.columns, undefined, `${weights.length} weights for ${flows} flows`);
  const links = new Int32Array(MAX_LINKS);
  let lost = 0;
  for (let flow = 0; flow < flows; flow++) {
    const count = source.linksOf(flow, links);
    if (count < 0) {
      lost++;
      continue;
    }
    const weight = weights === undefined ? 1 : weights[flow]!;
    for (let i = 0; i < count; i++) {
      const link = links[i]!;
      loads[link] = loads[link]! + weight;
    }
  }
  return lost;
}
