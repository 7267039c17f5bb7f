/** Plain graph algorithms: distances, shortest ways, disjoint routes (Menger, by augmenting paths) and elements crossed together. */

/** Undirected, with parallel edges. Nodes are numbers from 0. */
export interface Graph {
  readonly nodes: number;
  readonly edges: readonly (readonly [number, number])[];
}

export function neighbours(graph: Graph, node: number): { to: number; edge: number }[] {
  return graph.edges.flatMap(([a, b], edge) => [
    ...(a === node ? [{ to: b, edge }] : []),
    ...(b === node && a !== b ? [{ to: a, edge }] : []),
  ]);
}

/** Hops to `target`; Infinity where there is no way. `through` says which nodes may be crossed (hosts forward nothing). */
export function distances(
  graph: Graph,
  target: number,
  through: (node: number) => boolean = () => true,
): number[] {
  const far = new Array<number>(graph.nodes).fill(Number.POSITIVE_INFINITY);
  far[target] = 0;
  let frontier = [target];
  while (frontier.length > 0) {
    const next: number[] = [];
    for (const node of frontier) {
      if (node !== target && !through(node)) continue;
      for (const { to } of neighbours(graph, node))
        if (far[to] === Number.POSITIVE_INFINITY) {
          far[to] = far[node]! + 1;
          next.push(to);
        }
    }
    frontier = next;
  }
  return far;
}

/** Edges from `node` that shorten the way to `target`. */
export function nextHops(
  graph: Graph,
  node: number,
  target: number,
  through: (node: number) => boolean = () => true,
): { to: number; edge: number }[] {
  const far = distances(graph, target, through);
  if (far[node] === Number.POSITIVE_INFINITY) return [];
  return neighbours(graph, node).filter(
    ({ to }) => far[to]! === far[node]! - 1 && (to === target || through(to)),
  );
}

/** Number of shortest ways, each sequence of edges counted once. */
export function shortestPaths(
  graph: Graph,
  from: number,
  to: number,
  through: (node: number) => boolean = () => true,
): bigint {
  const far = distances(graph, to, through);
  const count = (node: number): bigint =>
    node === to
      ? 1n
      : neighbours(graph, node)
          .filter((hop) => far[hop.to]! === far[node]! - 1 && (hop.to === to || through(hop.to)))
          .reduce((all, hop) => all + count(hop.to), 0n);
  return far[from] === Number.POSITIVE_INFINITY ? 0n : count(from);
}

/** Integer max-flow by single augmenting paths, on arcs with capacities. */
function maxFlow(
  nodes: number,
  arcs: { from: number; to: number; left: number }[],
  source: number,
  sink: number,
): number {
  const all = arcs.flatMap((arc) => [arc, { from: arc.to, to: arc.from, left: 0 }]);
  for (let flow = 0; ; flow++) {
    const by = new Array<number>(nodes).fill(-1);
    const queue = [source];
    for (const node of queue)
      for (const [index, arc] of all.entries())
        if (arc.from === node && arc.left > 0 && arc.to !== source && by[arc.to] === -1) {
          by[arc.to] = index;
          queue.push(arc.to);
        }
    if (by[sink] === -1) return flow;
    for (let node = sink; node !== source; node = all[by[node]!]!.from) {
      all[by[node]!]!.left--;
      all[by[node]! ^ 1]!.left++;
    }
  }
}

/** The largest number of ways from a to b no two of which share an edge. */
export const edgeDisjoint = (graph: Graph, a: number, b: number): number =>
  maxFlow(
    graph.nodes,
    graph.edges.flatMap(([u, v]) => [
      { from: u, to: v, left: 1 },
      { from: v, to: u, left: 1 },
    ]),
    a,
    b,
  );

/** The largest number of ways no two of which share a node but a and b: each node is two, with one arc between them. */
export function nodeDisjoint(graph: Graph, a: number, b: number): number {
  const arcs = graph.edges.flatMap(([u, v]) => [
    { from: 2 * u + 1, to: 2 * v, left: 1 },
    { from: 2 * v + 1, to: 2 * u, left: 1 },
  ]);
  for (let node = 0; node < graph.nodes; node++)
    arcs.push({ from: 2 * node, to: 2 * node + 1, left: node === a || node === b ? graph.edges.length : 1 });
  return maxFlow(2 * graph.nodes, arcs, 2 * a + 1, 2 * b);
}

/**
 * Elements that the given paths cannot tell apart: those that lie on exactly the same paths. What fails in such a set
 * cannot be localised further by probes over these paths.
 */
export function crossedTogether(paths: readonly (readonly string[])[]): string[][] {
  const sets = new Map<string, string[]>();
  for (const element of new Set(paths.flat())) {
    const on = paths.map((path) => (path.includes(element) ? 1 : 0)).join("");
    sets.set(on, [...(sets.get(on) ?? []), element]);
  }
  return [...sets.values()].map((set) => set.sort()).sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
}
