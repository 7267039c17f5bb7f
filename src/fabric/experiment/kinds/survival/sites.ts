/** The elements of a tier that a client's paths choose from, one of which fails. */
import type { Topology } from "../../../topology/index.js";
import type { SurvivalFailure } from "./schema.js";

export interface Sites {
  /** Number of equal elements, one of which fails. */
  readonly count: number;
  /** Index of the element at the end of a directed link, from 0 to `count` - 1; -1: another node or link. */
  readonly ofLink: Int32Array;
}

/** The sites of a failure for connections of one client host. */
export function sitesOf(topology: Topology, client: number, failure: SurvivalFailure): Sites {
  const { nodes, links } = topology;
  const tors = nodes[client]!.ports.map(({ peer }) => peer);
  const { pod } = nodes[tors[0]!]!;
  const ofLink = new Int32Array(2 * links.length).fill(-1);
  const numbers = new Map<number, number>();
  const numberOf = (key: number) => {
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key)!;
  };
  for (const { index, a, b } of links) {
    for (const [way, from, to] of [
      [0, a.node, b.node],
      [1, b.node, a.node],
    ] as const) {
      const at = 2 * index + way;
      if (failure === "link") {
        const [tor, leaf] = nodes[from]!.role === "leaf" ? [to, from] : [from, to];
        if (tors.includes(tor) && nodes[leaf]!.role === "leaf") ofLink[at] = numberOf(index);
        continue;
      }
      const node = nodes[to]!;
      if (node.role !== failure) continue;
      if (failure === "tor" ? tors.includes(to) : failure === "spine" || node.pod === pod)
        ofLink[at] = numberOf(to);
    }
  }
  return { count: numbers.size, ofLink };
}
