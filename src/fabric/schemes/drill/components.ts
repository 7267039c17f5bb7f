/**
 * The decomposition of an asymmetric fabric into symmetric components. Two paths are symmetric if the queues on them are crossed by the same
 * traffic at the same rates; only then packets of one flow may choose between them by the length of the first queue. A link is labelled with the
 * pairs of racks that have a shortest path over it, and a path with the labels and rates of its links.
 */

import { nodeAt, type RoutingTable, switchesOf, type Topology } from "../../topology/index.js";
import { PathCapacity, portsToRacks } from "../wcmp/path-capacity.js";

/** Next hops whose paths to a rack are symmetric. */
export interface Component {
  /** Ascending. */
  readonly ports: readonly number[];
  /** The sum over its paths of the rate of each path's slowest link, in bits per second. */
  readonly capacity: number;
}

/** The components of a switch towards a rack, those with lower ports first; undefined where the rack is its own or cannot be reached. */
export type ComponentsTo = (node: number, rack: number) => readonly Component[] | undefined;

export function componentsOf(topology: Topology, tables: readonly RoutingTable[]): ComponentsTo {
  const portsTo = portsToRacks(topology, tables);
  const labels = labelsOf(topology, portsTo);
  const capacities = new Map(
    topology.racks.map(({ index }) => [index, new PathCapacity(topology, portsTo, index)]),
  );
  // A number for each text: texts of longer paths then have the same length as those of shorter ones.
  const numbers = new Map<string, number>();
  const numberOf = (text: string) => {
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  };
  const scores = new Map<string, number>();
  /** Of the paths to a rack by a port: the link's label and rate, and the scores of the next hops behind it. */
  const scoreOf = (node: number, port: number, rack: number): number => {
    const key = `${node} ${port} ${rack}`;
    let score = scores.get(key);
    if (score === undefined) {
      const { link, peer } = nodeAt(topology, node).ports[port - 1]!;
      const behind = (portsTo(peer, rack) ?? []).map((one) => scoreOf(peer, one, rack)).sort((a, b) => a - b);
      const { rateBps, ratePps = 0 } = topology.links[link]!;
      score = numberOf(`${labels.get(`${node} ${port}`)}/${rateBps}/${ratePps}/${behind.join(",")}`);
      scores.set(key, score);
    }
    return score;
  };
  return (node, rack) => {
    const ports = portsTo(node, rack);
    if (ports === undefined) return undefined;
    const byScore = new Map<number, number[]>();
    for (const port of [...ports].sort((a, b) => a - b)) {
      const score = scoreOf(node, port, rack);
      byScore.set(score, [...(byScore.get(score) ?? []), port]);
    }
    const capacity = capacities.get(rack)!;
    return [...byScore.values()].map((own) => ({
      ports: own,
      capacity: own.reduce((sum, port) => sum + capacity.through(node, port), 0),
    }));
  };
}

/**
 * By direction of a link (`NODE PORT`): the pairs of racks with a shortest path over it, as a text. A set of pairs is two sums of random 32-bit
 * numbers: two different sets have the same one with a probability of 2^-64.
 */
function labelsOf(topology: Topology, portsTo: ReturnType<typeof portsToRacks>): ReadonlyMap<string, string> {
  const sums = new Map<string, [number, number]>();
  for (const { index: to } of topology.racks)
    for (const from of topology.racks) {
      if (from.index === to) continue;
      const pair = from.index * topology.racks.length + to;
      const [first, second] = [mixed(pair), mixed(pair + 0x9e3779b9)];
      const seen = new Set<number>();
      const walk = [...from.switches];
      for (let node = walk.pop(); node !== undefined; node = walk.pop()) {
        if (seen.has(node)) continue;
        seen.add(node);
        for (const port of portsTo(node, to) ?? []) {
          const key = `${node} ${port}`;
          const sum = sums.get(key) ?? [0, 0];
          sums.set(key, [(sum[0] + first) >>> 0, (sum[1] + second) >>> 0]);
          walk.push(nodeAt(topology, node).ports[port - 1]!.peer);
        }
      }
    }
  return new Map(
    switchesOf(topology).flatMap(({ index, ports }) =>
      ports.map(
        ({ number }) => [`${index} ${number}`, (sums.get(`${index} ${number}`) ?? [0, 0]).join(":")] as const,
      ),
    ),
  );
}

/** The finaliser of MurmurHash3: each bit of a 32-bit number changes half of the bits of the result. */
function mixed(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
