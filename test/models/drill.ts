/**
 * DRILL (Ghorbani et al., SIGCOMM 2017) in plain words: which next hops a packet may take by the lengths of the queues, and which paths are symmetric.
 */

/** Whether a packet may take a next hop: it is drawn or remembered, and no next hop that is certainly looked at has a shorter queue. */
export function mayTake(lengths: readonly number[], hop: number, remembered: number | undefined): boolean {
  return remembered === undefined || lengths[hop]! <= lengths[remembered]!;
}

/** A directed link with its rate. */
export interface Hop {
  readonly from: string;
  readonly to: string;
  readonly rate: number;
}

/** All shortest paths between two nodes, by breadth. */
export function shortestPaths(hops: readonly Hop[], from: string, to: string): Hop[][] {
  let paths: Hop[][] = hops.filter((hop) => hop.from === from).map((hop) => [hop]);
  for (let length = 1; length <= hops.length && paths.length > 0; length++) {
    const there = paths.filter((path) => path.at(-1)!.to === to);
    if (there.length > 0) return there;
    paths = paths.flatMap((path) =>
      hops
        .filter((hop) => hop.from === path.at(-1)!.to && path.every((one) => one.from !== hop.to))
        .map((hop) => [...path, hop]),
    );
  }
  return [];
}

/**
 * The first hops of the paths between two leaves, in groups of symmetric paths: each link has the set of pairs of leaves with a shortest path over it as
 * its label; paths are symmetric if labels and rates of their links are equal one by one.
 */
export function symmetricFirstHops(
  hops: readonly Hop[],
  leaves: readonly string[],
  from: string,
  to: string,
): string[][] {
  const labels = new Map<Hop, Set<string>>(hops.map((hop) => [hop, new Set()]));
  for (const source of leaves)
    for (const target of leaves)
      if (source !== target)
        for (const hop of shortestPaths(hops, source, target).flat())
          labels.get(hop)!.add(`${source} to ${target}`);
  const groups = new Map<string, Set<string>>();
  for (const path of shortestPaths(hops, from, to)) {
    const score = path.map((hop) => `${[...labels.get(hop)!].sort().join(", ")} at ${hop.rate}`).join("; ");
    groups.set(score, (groups.get(score) ?? new Set()).add(path[0]!.to));
  }
  return [...groups.values()].map((group) => [...group].sort());
}
