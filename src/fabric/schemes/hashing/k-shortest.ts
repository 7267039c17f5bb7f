/**
 * The k shortest loopless paths between two switches (Yen, Quarterly of Applied Mathematics 27(4), 1971), by the costs of a map. Spur
 * paths are searched with the distances to the destination as an estimate, which is never too large when links are left out.
 */
import { nodeAt, switchesOf, type Topology } from "../../topology/index.js";

interface CostGraph {
  /** Neighbours of a node, by ascending port: the node, the port that leads there, the cost. Of parallel links the cheapest. */
  readonly edges: readonly (readonly {
    readonly to: number;
    readonly port: number;
    readonly cost: number;
  }[])[];
}

export function costGraph(topology: Topology): CostGraph {
  const edges = topology.nodes.map((): { to: number; port: number; cost: number }[] => []);
  for (const { index, ports } of switchesOf(topology))
    for (const { number, peer, link } of ports) {
      if (nodeAt(topology, peer).role === "host" || topology.down?.has(link)) continue;
      const cost = topology.links[link]!.cost ?? 1;
      const known = edges[index]!.find(({ to }) => to === peer);
      if (known === undefined) edges[index]!.push({ to: peer, port: number, cost });
      else if (cost < known.cost) Object.assign(known, { port: number, cost });
    }
  return { edges };
}

/** Costs of the cheapest paths to a node, from all nodes. */
export function costsTo({ edges }: CostGraph, destination: number): Float64Array {
  const costs = new Float64Array(edges.length).fill(Number.POSITIVE_INFINITY);
  costs[destination] = 0;
  const open = new Set([destination]);
  while (open.size > 0) {
    let node = -1;
    for (const one of open) if (node < 0 || costs[one]! < costs[node]!) node = one;
    open.delete(node);
    for (const { to, cost } of edges[node]!)
      if (costs[node]! + cost < costs[to]!) {
        costs[to] = costs[node]! + cost;
        open.add(to);
      }
  }
  return costs;
}

interface Path {
  readonly nodes: readonly number[];
  readonly cost: number;
}

/** At most `k` paths as lists of nodes, the cheapest first; of equal candidates the one with the smaller nodes. */
export function kShortest(
  graph: CostGraph,
  source: number,
  destination: number,
  k: number,
  estimate: Float64Array = costsTo(graph, destination),
): number[][] {
  const first = search(graph, [source], destination, estimate, new Set());
  if (first === undefined) return [];
  const found: Path[] = [first];
  const candidates: Path[] = [];
  while (found.length < k) {
    const last = found.at(-1)!.nodes;
    for (let i = 0; i < last.length - 1; i++) {
      const root = last.slice(0, i + 1);
      const closed = new Set<number>();
      for (const { nodes } of found)
        if (root.every((node, at) => nodes[at] === node) && nodes.length > i + 1) closed.add(nodes[i + 1]!);
      const spur = search(graph, root, destination, estimate, closed);
      if (spur !== undefined && !candidates.some((path) => isSame(path, spur))) candidates.push(spur);
    }
    if (candidates.length === 0) break;
    candidates.sort(byCost);
    found.push(candidates.shift()!);
  }
  return found.map(({ nodes }) => [...nodes]);
}

/** Of equal costs: by the first node that differs. Different paths without loops between the same ends always have one. */
function byCost(a: Path, b: Path): number {
  if (Math.abs(a.cost - b.cost) > 1e-9) return a.cost - b.cost;
  const at = a.nodes.findIndex((node, i) => node !== b.nodes[i]);
  return a.nodes[at]! - b.nodes[at]!;
}

/** Of paths to the same end, without loops. */
function isSame(a: Path, b: Path): boolean {
  return a.nodes.every((node, i) => node === b.nodes[i]);
}

/** The cheapest path that begins with `root`, does not return to its nodes, and does not continue from it to a node of `closed`. */
function search(
  { edges }: CostGraph,
  root: readonly number[],
  destination: number,
  estimate: Float64Array,
  closed: ReadonlySet<number>,
): Path | undefined {
  let spent = 0;
  for (let i = 0; i + 1 < root.length; i++)
    spent += edges[root[i]!]!.find(({ to }) => to === root[i + 1])!.cost;
  const start = root.at(-1)!;
  const best = new Map([[start, spent]]);
  const before = new Map<number, number>();
  const open = new Set([start]);
  const done = new Set(root.slice(0, -1));
  for (;;) {
    // Stays -1 where all open nodes are without a way to the destination, or none is open.
    let node = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const one of open) {
      const total = best.get(one)! + estimate[one]!;
      if (total < least - 1e-9 || (Math.abs(total - least) <= 1e-9 && one < node))
        [node, least] = [one, total];
    }
    if (node < 0) return undefined;
    if (node === destination) break;
    open.delete(node);
    done.add(node);
    for (const { to, cost } of edges[node]!) {
      if (done.has(to) || (node === start && closed.has(to))) continue;
      const total = best.get(node)! + cost;
      if (total < (best.get(to) ?? Number.POSITIVE_INFINITY)) {
        best.set(to, total);
        before.set(to, node);
        open.add(to);
      }
    }
  }
  const tail: number[] = [];
  for (let node = destination; node !== start; node = before.get(node)!) tail.unshift(node);
  return { nodes: [...root, ...tail], cost: best.get(destination)! };
}

/** Next hops by node, of as many of the paths, in their order, as are free of loops together. */
export function loopFree(paths: readonly (readonly number[])[]): Map<number, number[]> {
  let next = new Map<number, number[]>();
  for (const path of paths) {
    const more = new Map([...next].map(([node, hops]) => [node, [...hops]]));
    for (let i = 0; i + 1 < path.length; i++) {
      const hops = more.get(path[i]!) ?? [];
      if (!hops.includes(path[i + 1]!)) hops.push(path[i + 1]!);
      more.set(path[i]!, hops);
    }
    if (!hasLoop(more)) next = more;
  }
  return next;
}

function hasLoop(next: ReadonlyMap<number, readonly number[]>): boolean {
  const state = new Map<number, "open" | "done">();
  const visit = (node: number): boolean => {
    if (state.get(node) === "open") return true;
    if (state.get(node) === "done") return false;
    state.set(node, "open");
    const found = (next.get(node) ?? []).some(visit);
    state.set(node, "done");
    return found;
  };
  return [...next.keys()].some(visit);
}
