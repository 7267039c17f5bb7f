/** Which elements of a path a failure can hit, and from how many equal ones they are chosen. */
import { type Rack, type Role, rackClasses, type Topology, typicalPods } from "../../../topology/index.js";
import type { PairPattern } from "../../../traffic/index.js";
import {
  type DrawnFailure,
  isSingleCut,
  LINK_TIERS,
  type LinkTier,
  rolesOf,
  type SiteClass,
} from "../../faults/drawn-failures.js";
import type { Element } from "../../faults/fault.js";

/** The elements of a class on a path of node indexes, in the order in which a packet meets them. */
export function sitesOnPath(topology: Topology, path: readonly number[], site: SiteClass): Element[] {
  const { nodes } = topology;
  if (site.kind === "tier")
    return path
      .filter((node, i) => nodes[node]!.role === site.role && !isOnlySwitch(topology, path, i))
      .map((index) => ({ kind: "node", index }));
  const [lower, upper] = rolesOf(site.tiers);
  const sites: Element[] = [];
  for (let i = 1; i < path.length; i++) {
    const [from, to] = [nodes[path[i - 1]!]!, nodes[path[i]!]!];
    const up = from.role === lower && to.role === upper;
    if (!up && (from.role !== upper || to.role !== lower)) continue;
    if (site.direction !== "both" && site.direction !== (up ? "up" : "down")) continue;
    const { link } = from.ports.find((candidate) => candidate.peer === to.index)!;
    // The first end of a link in a topology is the lower one.
    const ways =
      site.direction === "both" ? "both" : topology.links[link]!.a.node === from.index ? "out" : "in";
    sites.push({ kind: "link", index: link, ways });
  }
  return sites;
}

/** Whether a switch without a tier is the only switch of the host that is its neighbour on the path. */
function isOnlySwitch({ nodes, racks }: Topology, path: readonly number[], at: number): boolean {
  if (nodes[path[at]!]!.role !== "switch") return false;
  return [path[at - 1], path[at + 1]].some((beside) => {
    const host = beside === undefined ? undefined : nodes[beside]!.host;
    return host !== undefined && racks[host.rack]!.switches.length === 1;
  });
}

/** Whether two sites are one switch, or one link in any direction. */
export function isSameSite(a: Element, b: Element): boolean {
  return a.kind === b.kind && a.index === b.index;
}

/** Sites with the same key are on the same paths. */
export function siteKey(site: SiteClass): string {
  return site.kind === "tier" ? site.role : site.tiers;
}

/** Keys of the sites on the paths between some two hosts of the pattern; undefined when no two hosts fit the pattern. */
export function placesOf(topology: Topology, pattern: PairPattern): Set<string> | undefined {
  const counts = siteCounts(topology, pattern);
  return counts === undefined ? undefined : new Set(counts.keys());
}

/**
 * N of the closed forms: from how many equal-cost sites of a failure each direction chooses. Undefined where
 * the number differs between pairs of hosts of the pattern, and for failures other than one element that loses everything.
 */
export function equalSites(
  topology: Topology,
  pattern: PairPattern,
  failure: DrawnFailure,
): number | undefined {
  if (!isSingleCut(failure) || isWithoutTier(failure.sites[0]!)) return undefined;
  const counts = siteCounts(topology, pattern)?.get(siteKey(failure.sites[0]!));
  return counts?.size === 1 ? [...counts][0] : undefined;
}

/** Whether pairs of hosts meet different numbers of such switches and links, at different distances. */
function isWithoutTier(site: SiteClass): boolean {
  return siteKey(site) === "switch" || siteKey(site) === "switch-switch";
}

/** By {@link siteKey}: the numbers of equal-cost sites that occur at any step of a shortest path. */
type SiteCounts = Map<string, Set<number>>;

const known = new WeakMap<Topology, Map<PairPattern, SiteCounts | undefined>>();

/** Counted once for each topology and pattern; undefined where no two hosts fit the pattern. */
function siteCounts(topology: Topology, pattern: PairPattern): SiteCounts | undefined {
  const ofTopology = known.get(topology) ?? new Map<PairPattern, SiteCounts | undefined>();
  known.set(topology, ofTopology);
  if (!ofTopology.has(pattern)) ofTopology.set(pattern, countSites(topology, pattern));
  return ofTopology.get(pattern);
}

function countSites(topology: Topology, pattern: PairPattern): SiteCounts | undefined {
  const result: SiteCounts = new Map();
  let pairs = 0;
  for (const [destination, sources] of typicalPairs(topology, pattern)) {
    const hops = distances(topology, destination);
    for (const source of sources) {
      pairs++;
      addSteps(topology, source, hops, result);
    }
  }
  return pairs === 0 ? undefined : result;
}

/**
 * Pairs of hosts, by destination, such that every pair of the pattern has the same numbers of paths as one of them.
 * Racks of one class and pod are alike ({@link rackClasses}), and so are some pods ({@link typicalPods}). A path has the same sites
 * in both directions.
 */
function* typicalPairs(
  topology: Topology,
  pattern: PairPattern,
): Generator<readonly [destination: number, sources: readonly number[]]> {
  const { classOf } = rackClasses(topology);
  const pods = typicalPods(topology);
  const groups = new Map<string, Rack[]>();
  for (const rack of topology.racks) {
    if (!pods.has(rack.pod)) continue;
    const key = `${classOf[rack.index]} ${rack.pod}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(rack);
  }
  const list = [...groups.values()];
  for (const [i, group] of list.entries()) {
    const [first, second] = group;
    const sources: number[] = [];
    if (second !== undefined && pattern !== "inter_pod") sources.push(second.hosts[0]!);
    for (const [other] of list.slice(i + 1))
      if (pattern !== "inter_pod" || other!.pod !== first!.pod) sources.push(other!.hosts[0]!);
    yield [first!.hosts[0]!, sources];
    const shared = pattern === "any" ? group.find(({ hosts }) => hosts.length > 1) : undefined;
    if (shared !== undefined) yield [shared.hosts[0]!, [shared.hosts[1]!]];
  }
}

/** Adds the number of sites at each step of the shortest paths from a host, given the hops to their end. */
function addSteps(topology: Topology, source: number, hops: Int32Array, result: SiteCounts): void {
  const { nodes } = topology;
  const add = (key: string, sites: number) => {
    if (sites === 0) return;
    const counts = result.get(key) ?? new Set();
    result.set(key, counts.add(sites));
  };
  let layer: ReadonlySet<number> = new Set([source]);
  for (let left = hops[source]!; left >= 1; left--) {
    const next = new Set<number>();
    const links = new Map<LinkTier, number>();
    for (const node of layer) {
      for (const { peer } of nodes[node]!.ports) {
        if (hops[peer] !== left - 1) continue;
        next.add(peer);
        const tiers = linkTier(nodes[node]!.role, nodes[peer]!.role);
        if (tiers !== undefined) links.set(tiers, (links.get(tiers) ?? 0) + 1);
      }
    }
    for (const [tiers, number] of links) add(tiers, number);
    for (const role of ["tor", "leaf", "spine"] as const)
      add(role, [...next].filter((node) => nodes[node]!.role === role).length);
    const isEnd = (node: number) =>
      topology.racks[nodes[source]!.host!.rack]!.switches.join() === `${node}` ||
      (left === 2 && next.size === 1);
    add("switch", [...next].filter((node) => nodes[node]!.role === "switch" && !isEnd(node)).length);
    layer = next;
  }
}

/** The class of links between nodes of these roles. */
function linkTier(a: Role, b: Role): LinkTier | undefined {
  return LINK_TIERS.find((tiers) => {
    const [lower, upper] = rolesOf(tiers);
    return (a === lower && b === upper) || (a === upper && b === lower);
  });
}

/** Hops from a host to every node, -1 where there is no path; hosts do not forward. */
function distances(topology: Topology, start: number): Int32Array {
  const hops = new Int32Array(topology.nodes.length).fill(-1);
  hops[start] = 0;
  const queue = [start];
  for (const index of queue) {
    const node = topology.nodes[index]!;
    if (node.role === "host" && index !== start) continue;
    for (const { peer } of node.ports) {
      if (hops[peer]! >= 0) continue;
      hops[peer] = hops[index]! + 1;
      queue.push(peer);
    }
  }
  return hops;
}
