/**
 * Selectors for any graph: each selector has one next hop at each switch towards each rack, so that the routes of different selectors between
 * two racks are disjoint, as many as the graph has (`topology/disjoint-paths.ts`).
 *
 * Towards one rack, the next hops of a selector consist of whole paths to that rack, which agree wherever they meet. So a packet
 * on one of these paths stays on it to its end. A switch that is on none of them forwards by the shortest routes,
 * each step of which is nearer to the rack. Hence no packet is in a loop, for any selector.
 */
import { DisjointPaths, nodeAt, rackAt, type SwitchPath, type Topology } from "../../topology/index.js";

/** A route between two racks that a selector names. */
export interface TreePath extends SwitchPath {
  /** From 1; 0 is the selector of the hash. */
  readonly selector: number;
}

/** The paths of the selectors to one rack. */
interface RackTrees {
  /** By selector - 1: the port by node index, 0 where the selector has no path through the switch. */
  readonly next: readonly Int32Array[];
  /** By rack of the source: routes that share only elements which all routes of the graph share; the shortest first. */
  readonly from: readonly (readonly TreePath[])[];
}

/** A pair of racks for which there are more disjoint routes (up to the requested number) than free selectors. */
interface ShortPair {
  readonly from: number;
  readonly to: number;
  readonly missing: number;
}

export interface Trees {
  /** By rack of the destination. */
  readonly to: readonly RackTrees[];
  /** Number of selectors in use other than 0. */
  readonly selectors: number;
  readonly short: readonly ShortPair[];
}

interface TreeOptions {
  /** Maximum number of routes of a pair of racks. */
  readonly paths: number;
  /** Maximum number of selectors other than 0. */
  readonly selectors: number;
}

export function packTrees(topology: Topology, options: TreeOptions): Trees {
  const search = new DisjointPaths(topology);
  const to = topology.racks.map(({ index }) => new TreesToRack(topology, search, index, options));
  for (const trees of to) trees.pack();
  return {
    to,
    selectors: to.reduce((most, { next }) => Math.max(most, next.length), 0),
    short: to.flatMap(({ short }) => short),
  };
}

class TreesToRack implements RackTrees {
  readonly next: Int32Array[] = [];
  readonly from: TreePath[][];
  readonly short: ShortPair[] = [];
  readonly #goals: ReadonlySet<number>;

  constructor(
    readonly topology: Topology,
    readonly search: DisjointPaths,
    readonly rack: number,
    readonly options: TreeOptions,
  ) {
    this.from = topology.racks.map(() => []);
    this.#goals = new Set(rackAt(topology, rack).switches);
  }

  /** Near racks first: the routes of the others lead through them. */
  pack(): void {
    const wanted = this.topology.racks
      .filter(({ index }) => index !== this.rack)
      .map(({ index, switches }) => ({
        index,
        paths: this.search.between(switches, [...this.#goals], this.options.paths),
      }));
    wanted.sort((a, b) => shortest(a.paths) - shortest(b.paths) || a.index - b.index);
    for (const { index, paths } of wanted) {
      const found = this.#along(index, paths) ?? this.#named(paths);
      this.from[index] = found.sort(byLength);
      for (const path of found) this.#add(path);
      if (found.length < paths.length)
        this.short.push({ from: index, to: this.rack, missing: paths.length - found.length });
    }
  }

  /**
   * As many routes as `paths`, with at most the same total length, over existing next hops: one link from a switch of the rack to a path of a
   * selector, or along such a path from there. Undefined where there are none.
   */
  #along(rack: number, paths: readonly SwitchPath[]): TreePath[] | undefined {
    if (paths.length === 0) return [];
    const shared = sharedBy(this.topology, paths);
    const candidates: TreePath[] = [];
    for (const selector of this.next.keys())
      for (const start of rackAt(this.topology, rack).switches)
        candidates.push(...this.#candidates(selector, start));
    candidates.sort(byLength);
    const elements = candidates.map((path) =>
      elementsOf(this.topology, path).filter((element) => !shared.has(element)),
    );
    return choose(candidates, elements, paths.length, totalLength(paths));
  }

  /** Routes from a switch that a selector has, or would have with one more next hop. */
  #candidates(selector: number, start: number): TreePath[] {
    const { nodes, down } = this.topology;
    const next = this.next[selector]!;
    if (this.#goals.has(start) || next[start]! > 0) return [this.#follow(selector, [start], [])];
    return nodes[start]!.ports.filter(
      ({ peer, link }) => !down?.has(link) && (this.#goals.has(peer) || next[peer]! > 0),
    ).map(({ number, peer }) => this.#follow(selector, [start, peer], [number]));
  }

  /** Completes a path by the next hops of a selector. */
  #follow(selector: number, nodes: number[], ports: number[]): TreePath {
    const next = this.next[selector]!;
    for (let node = nodes.at(-1)!; !this.#goals.has(node); ) {
      const port = next[node]!;
      ports.push(port);
      node = nodeAt(this.topology, node).ports[port - 1]!.peer;
      nodes.push(node);
    }
    return { nodes, ports, selector: selector + 1 };
  }

  /** Gives each path the first selector whose next hops agree with it, or a new one while there are any. */
  #named(paths: readonly SwitchPath[]): TreePath[] {
    const named: TreePath[] = [];
    const taken = new Set<number>();
    for (const path of paths) {
      const known = this.next.findIndex((next, selector) => !taken.has(selector) && agrees(next, path));
      const selector = known >= 0 ? known : this.next.length;
      if (selector === this.options.selectors) continue;
      if (known < 0) this.next.push(new Int32Array(this.topology.nodes.length));
      taken.add(selector);
      named.push({ ...path, selector: selector + 1 });
    }
    return named;
  }

  #add({ nodes, ports, selector }: TreePath): void {
    const next = this.next[selector - 1]!;
    for (const [i, port] of ports.entries()) next[nodes[i]!] = port;
  }
}

function agrees(next: Int32Array, { nodes, ports }: SwitchPath): boolean {
  return ports.every((port, i) => {
    const known = next[nodes[i]!]!;
    return known === 0 || known === port;
  });
}

/** Maximum number of steps of the search for a set of routes: beyond it new next hops are cheaper. */
const MOST_STEPS = 2000;

/** `count` disjoint candidates of different selectors, with at most `room` links together. The candidates ascend by length. */
function choose(
  candidates: readonly TreePath[],
  elements: readonly (readonly number[])[],
  count: number,
  room: number,
): TreePath[] | undefined {
  const chosen: TreePath[] = [];
  const used = new Set<number>();
  let steps = 0;
  const search = (from: number, left: number): boolean => {
    if (chosen.length === count) return true;
    for (let i = from; i < candidates.length && steps < MOST_STEPS; i++, steps++) {
      const path = candidates[i]!;
      // All remaining candidates are at least as long.
      if (path.ports.length * (count - chosen.length) > left) return false;
      if (chosen.some(({ selector }) => selector === path.selector)) continue;
      const own = elements[i]!;
      if (own.some((element) => used.has(element))) continue;
      chosen.push(path);
      for (const element of own) used.add(element);
      if (search(i + 1, left - path.ports.length)) return true;
      chosen.pop();
      for (const element of own) used.delete(element);
    }
    return false;
  };
  return search(0, room) ? chosen : undefined;
}

/** The elements of a path that can fail. A switch is its index i; a link with index i is ~i, so that the numbers differ. */
export function elementsOf({ nodes: all }: Topology, { nodes, ports }: SwitchPath): number[] {
  return [...nodes, ...ports.map((port, i) => ~all[nodes[i]!]!.ports[port - 1]!.link)];
}

/** Elements that are on several of the paths. */
function sharedBy(topology: Topology, paths: readonly SwitchPath[]): Set<number> {
  const counts = new Map<number, number>();
  for (const path of paths)
    for (const element of elementsOf(topology, path)) counts.set(element, (counts.get(element) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > 1).map(([element]) => element));
}

function byLength(a: TreePath, b: TreePath): number {
  return a.nodes.length - b.nodes.length || a.selector - b.selector;
}

function shortest(paths: readonly SwitchPath[]): number {
  return paths[0]?.ports.length ?? Number.POSITIVE_INFINITY;
}

function totalLength(paths: readonly SwitchPath[]): number {
  return paths.reduce((sum, { ports }) => sum + ports.length, 0);
}
