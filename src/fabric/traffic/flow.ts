/** Pairs of hosts that exchange traffic, and the client ports of their flows. */
import type { Random } from "../../base/index.js";
import { hostsOf, type Topology } from "../topology/index.js";

/** The properties of a host that a pattern of pairs depends on: its rack and its pod. */
export interface Place {
  readonly host: number;
  readonly rack: number;
  readonly pod: number;
}

/** All hosts, in the order of the nodes. */
export function hostPlaces(topology: Topology): Place[] {
  return hostsOf(topology).map((node) => {
    const rack = topology.racks[node.host!.rack]!;
    return { host: node.index, rack: rack.index, pod: rack.pod };
  });
}

/** Which pairs of hosts exchange traffic: any two hosts, hosts in different racks, or hosts in different pods. */
export type PairPattern = "any" | "inter_rack" | "inter_pod";

/** Hosts with the same number exchange no traffic under the pattern. */
const GROUP_OF: Readonly<Record<PairPattern, (place: Place) => number>> = {
  any: ({ host }) => host,
  inter_rack: ({ rack }) => rack,
  inter_pod: ({ pod }) => pod,
};

/** Draws pairs of hosts, uniformly from the pairs of a pattern. It makes no list of pairs; a draw takes logarithmic time. */
export class PairDrawer {
  readonly #places: readonly Place[];
  /** By place: the indexes of the places in its group, ascending. */
  readonly #groups: readonly (readonly number[])[];
  /** By place: number of pairs whose source is an earlier place; and the number of all pairs. */
  readonly #before: Float64Array;

  constructor(places: readonly Place[], pattern: PairPattern) {
    this.#places = places;
    const groups = new Map<number, number[]>();
    this.#groups = places.map((place, index) => {
      const key = GROUP_OF[pattern](place);
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      group.push(index);
      return group;
    });
    this.#before = new Float64Array(places.length + 1);
    for (const [index, group] of this.#groups.entries())
      this.#before[index + 1] = this.#before[index]! + places.length - group.length;
  }

  /** Number of ordered pairs. */
  get pairs(): number {
    return this.#before[this.#places.length]!;
  }

  /** Undefined when the pattern has no pair. */
  draw(random: Random): readonly [source: Place, destination: Place] | undefined {
    if (this.pairs === 0) return undefined;
    const index = this.pairs <= 2 ** 32 ? random.int(this.pairs) : Math.floor(random.float() * this.pairs);
    const source = lastWhere(this.#places.length, (place) => this.#before[place]! <= index);
    const group = this.#groups[source]!;
    const rank = index - this.#before[source]!;
    // The number of members of the source's group before the destination: those with at most `rank` non-members before them.
    const skipped = lastWhere(group.length, (i) => group[i]! - i <= rank) + 1;
    return [this.#places[source]!, this.#places[rank + skipped]!];
  }
}

/** The last index below `length` at which `holds` is true; -1 if there is none. Once false, it must stay false. */
function lastWhere(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Ports that Linux gives to clients (ip_local_port_range), so that five-tuples look like real ones. */
const FIRST_CLIENT_PORT = 32768;
export const CLIENT_PORTS = 60999 - FIRST_CLIENT_PORT + 1;

export function drawClientPort(random: Random): number {
  return FIRST_CLIENT_PORT + random.int(CLIENT_PORTS);
}
